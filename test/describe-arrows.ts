import { readFileSync, readdirSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type NetworkPeer, type NetworkRule, type Resource, ofKind, selects } from './kubernetes-resources.js';
import { SERVICES, containerOf, settingsOf } from './describe-workloads.js';

const root = join(import.meta.dirname, '..');

/** Where a setting leads, when it leads anywhere; every other address is one of the public ones. */
const LEADS_TO: Readonly<Record<string, string | undefined>> = {
  BUS_URL: 'nats:4222/TCP',
  REDIS_URL: 'redis:6379/TCP',
  DATABASE_URL: 'postgres:5432/TCP',
  CLUSTER_MCP_URL: 'kubernetes-mcp-server:8080/TCP',
  CI_DISPATCHER_URL: 'ci-dispatcher:8080/TCP',
  MCP_SERVERS_FILE: 'public:443/TCP',
  // Said to callers, and compared with what tokens say: never asked.
  JWT_ISSUER: undefined,
  PUBLIC_URL: undefined,
  // The collector, which each service reaches.
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
};
const EVERYONE = ['collector:4318/TCP', 'kube-dns:53/TCP', 'kube-dns:53/UDP'];

/** The arrows out of a service, as its settings have them. */
const arrowsOf = async (app: string): Promise<string[]> => {
  const settings = Object.entries(await settingsOf(app));
  const found = settings.flatMap(([name, { takes }]) => {
    if (name in LEADS_TO) return LEADS_TO[name] ?? [];
    return takes.startsWith('a URL') ? 'public:443/TCP' : [];
  });
  return [...new Set([...found, ...EVERYONE])].sort();
};

/** What people run beside a service, and no part of it. */
const COMMANDS = /^(command|manifest\/lock|auth\/keys)\//;

const sourcesOf = (app: string): string =>
  readdirSync(join(root, 'apps', app, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !COMMANDS.test(file))
    .map((file) => readFileSync(join(root, 'apps', app, 'src', file), 'utf8'))
    .join('\n');

/** The network policies of an overlay against the code. `load` reads it; `portico` is every service in one process. */
export function describeArrows(title: string, names: readonly string[], load: () => Resource[]): void {
  describe(title, () => {
    let all: Resource[];
    beforeAll(() => void (all = load()));

    const labelsOf = (name: string) => {
      const found = ofKind(all, 'Deployment').find(({ metadata }) => metadata.name === name);
      if (!found) throw new Error(`There is no ${name}.`);
      return found.spec.template.metadata.labels;
    };
    const policiesOf = (name: string): Resource[] =>
      ofKind(all, 'NetworkPolicy').filter(({ spec }) => selects(spec.podSelector, labelsOf(name)));
    const out = (name: string): string[] =>
      union(policiesOf(name).flatMap(({ spec }) => (spec.egress ?? []).flatMap((rule) => arrows(rule, rule.to))));
    const into = (name: string): string[] =>
      union(policiesOf(name).flatMap(({ spec }) => (spec.ingress ?? []).flatMap((rule) => arrows(rule, rule.from))));

    it('[OP-4] forbids everything to everyone, both ways, before it allows anything', () => {
      const denies = ofKind(all, 'NetworkPolicy').filter(
        ({ spec }) => Object.keys(spec.podSelector).length === 0 && !spec.ingress && !spec.egress,
      );
      expect(denies.map(({ spec }) => spec.policyTypes)).toEqual([['Ingress', 'Egress']]);
      for (const { spec } of ofKind(all, 'NetworkPolicy')) {
        if (spec.ingress) expect(spec.policyTypes).toContain('Ingress');
        if (spec.egress) expect(spec.policyTypes).toContain('Egress');
      }
    });

    it.each(names)('[OP-4] %s reaches exactly what its code does', async (name) => {
      const code = name === 'portico' ? await Promise.all(SERVICES.map(arrowsOf)) : [await arrowsOf(name)];
      const stores = /^(nats|redis|postgres):/;
      const wanted = code.flat().filter((arrow) => name !== 'portico' || !stores.test(arrow));
      expect(out(name)).toEqual(union(wanted));
    });

    it.each(names)('[OP-4] %s is reached by whom it serves alone', (name) => {
      const doors = name === 'front-door' || name === 'portico' ? ['ingress:agents/TCP', 'tunnel:agents/TCP'] : [];
      expect(into(name)).toEqual(union([...doors, 'prometheus:ops/TCP']));
      const ports = containerOf(ofKind(all, 'Deployment').find(({ metadata }) => metadata.name === name) as Resource)
        .ports.map((port) => port.name)
        .sort();
      expect(ports).toEqual(doors.length > 0 ? ['agents', 'ops'] : ['ops']);
    });

    it('[OP-4] calls public what is so, and nothing that a cluster or a cloud keeps for itself', () => {
      const blocks = ofKind(all, 'NetworkPolicy').flatMap(({ spec }) =>
        (spec.egress ?? []).flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])),
      );
      expect(blocks.length).toBeGreaterThan(0);
      for (const { cidr, except = [] } of blocks) {
        for (const address of INSIDE)
          expect([cidr, address, covers([cidr], address) && !covers(except, address)]).toEqual([cidr, address, false]);
      }
      for (const address of OUTSIDE)
        expect(blocks.some(({ cidr, except = [] }) => covers([cidr], address) && !covers(except, address))).toBe(true);
    });

    it('[OP-4] names every label that others have to carry in the README', () => {
      const readme = readFileSync(join(root, 'infra/k8s/README.md'), 'utf8');
      const peers = names.flatMap((name) => [...out(name), ...into(name)].map((arrow) => arrow.split(':')[0] ?? ''));
      for (const peer of new Set(peers)) {
        if (peer !== 'public' && peer !== 'kube-dns') expect(readme).toContain(`\`${peer}\``);
      }
    });
  });
}

/** The settings that arrows are taken from against what the apps are made of. */
export function describeArrowSources(): void {
  it.each(SERVICES)('[OP-4] %s has a setting for everything outside that it is built to reach', async (app) => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'apps', app, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const names = Object.keys(await settingsOf(app));
    expect('@portico/bus' in dependencies).toBe(names.includes('BUS_URL'));
    expect('@portico/storage' in dependencies).toBe(names.includes('REDIS_URL') || names.includes('DATABASE_URL'));
    const asks = /(?<!\.|async )\bfetch\(|Backend(Reader|Client)|@slack\/web-api|@portico\/mcp-session/;
    const beyond = (await arrowsOf(app)).filter((arrow) => !/^(nats|redis|postgres|collector|kube-dns):/.test(arrow));
    expect([app, asks.test(sourcesOf(app))]).toEqual([app, beyond.length > 0]);
  });
}

const union = (list: readonly string[]): string[] => [...new Set(list)].sort();

function arrows({ ports }: NetworkRule, peers: readonly NetworkPeer[] | undefined): string[] {
  const places = peers === undefined || peers.length === 0 ? ['anything'] : peers.flatMap(peerNames);
  if (ports === undefined || ports.length === 0) return places.map((place) => `${place}:any`);
  return places.flatMap((place) => ports.map(({ port, protocol }) => `${place}:${port}/${protocol}`));
}

function peerNames({ namespaceSelector, podSelector, ipBlock }: NetworkPeer): string[] {
  if (ipBlock) return ['public'];
  const { matchLabels = {}, matchExpressions = [] } = podSelector ?? {};
  const inSystem = namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] === 'kube-system';
  if (inSystem && matchLabels['k8s-app'] === 'kube-dns') return ['kube-dns'];
  if (namespaceSelector?.matchLabels?.['portico-peers'] !== 'allowed') return ['anything'];
  const named = [
    ...(matchLabels['portico-peer'] ?? '').split(' ').filter((name) => name !== ''),
    ...matchExpressions.flatMap(({ key, operator, values }) =>
      key === 'portico-peer' && operator === 'In' ? values : [],
    ),
  ];
  return named.length === 0 ? ['anything'] : named;
}

const INSIDE = [
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
].concat([
  '0.0.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
]);
const OUTSIDE = ['1.1.1.1', '172.32.0.1', '140.82.112.3', '2606:4700::1'];

const covers = (blocks: readonly string[], address: string): boolean => {
  const list = new BlockList();
  for (const block of blocks) {
    const [net = '', prefix = ''] = block.split('/');
    list.addSubnet(net, Number(prefix), net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
};
