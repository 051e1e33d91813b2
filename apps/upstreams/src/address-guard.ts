import { lookup } from 'node:dns';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Reason } from '@portico/mcp-session';

/** Ranges that lead back to this host, its network or nowhere: no place for a server that somebody else runs. */
const refused = new BlockList();
for (const [range, bits] of [
  ['0.0.0.0', 8], // unspecified, "this network"
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local: metadata services of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
] as const) {
  refused.addSubnet(range, bits, 'ipv4');
}
for (const [range, bits] of [
  ['::', 96], // unspecified, loopback, and IPv4 in its withdrawn compatible form
  ['64:ff9b:1::', 48], // NAT64 for local use
  ['100::', 64], // discarded
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  refused.addSubnet(range, bits, 'ipv6');
}

/** Ranges whose last 32 bits, or those from bit 16 on, are an IPv4 address that the packet ends at. */
const EMBEDDING = [
  { range: '::ffff:0:0', bits: 96, at: 6 }, // IPv4-mapped
  { range: '::ffff:0:0:0', bits: 96, at: 6 }, // IPv4-translated
  { range: '64:ff9b::', bits: 96, at: 6 }, // NAT64
  { range: '2002::', bits: 16, at: 1 }, // 6to4
].map(({ range, bits, at }) => {
  const list = new BlockList();
  list.addSubnet(range, bits, 'ipv6');
  return { list, at };
});

/** Whether an address is loopback, private, link-local or otherwise not out in the world; what is no address is. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIPv4(plain)) return refused.check(plain, 'ipv4');
  if (!isIPv6(plain)) return true;
  const embedding = EMBEDDING.find(({ list }) => list.check(plain, 'ipv6'));
  if (embedding !== undefined) return refused.check(embeddedIPv4(plain, embedding.at), 'ipv4');
  return refused.check(plain, 'ipv6');
}

/** Whether the host of a URL is, without asking any name service, at a private address. */
export function isPrivateHost(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIPv4(host) || isIPv6(host)) return isPrivateAddress(host);
  return /(^|\.)localhost$/i.test(host);
}

/** `dns.lookup` without the private addresses; fails with EACCES when there is no other. Used where the socket is opened. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) {
      return callback(Object.assign(new Reason('its name leads to private addresses only'), { code: 'EACCES' }), []);
    }
    if (options.all) callback(null, open);
    else callback(null, first.address, first.family);
  });
};

/** The IPv4 address in the two groups from `at` on of an IPv6 address. */
function embeddedIPv4(address: string, at: number): string {
  // The URL parser writes every form of an address in one: hexadecimal groups, at most one "::".
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  const [high, low] = [parseInt(groups[at]!, 16), parseInt(groups[at + 1]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
