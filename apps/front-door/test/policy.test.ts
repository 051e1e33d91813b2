import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Domain, defineTool } from '@portico/domain-kit';
import { readConfig, startFrontDoor } from '@portico/front-door';
import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { z } from 'zod';
import { hashOfApiKey, newApiKey } from '../src/auth/api-key.js';
import { keyFileText } from '../src/auth/key-file.js';
import { listen } from './listen.js';
import { type OpenDoor, openDoor } from './open-door.js';

const folder = mkdtempSync(join(tmpdir(), 'portico-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));
const people = ['ann', 'ci-1'].map((subject) => {
  const { id, key } = newApiKey();
  const person = { subject, tenant: 't', scopes: ['portico:call'] };
  return {
    key,
    entry: { id, hash: hashOfApiKey(key).toString('hex'), ...person, createdAt: new Date().toISOString() },
  };
});
const [ann, ci] = people.map(({ key }) => key) as [string, string];
const keysFile = join(folder, 'keys.json');
writeFileSync(keysFile, keyFileText(people.map(({ entry }) => entry)));
const KEYS = { AUTH_MODE: 'api-key', API_KEYS_FILE: keysFile };

const ran: string[] = [];
const LONG = `list_${'x'.repeat(59)}`;
const tool = (name: string, effect: 'read' | 'write' | 'destructive') =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.looseObject({}),
    effect,
    handle: () => {
      ran.push(name);
      return Promise.resolve('done');
    },
  });
const shop: Domain = {
  name: 'shop',
  description: 'For tests.',
  version: '1.0.0',
  tools: [tool('look', 'read'), tool('paint', 'write'), tool('burn', 'destructive'), tool(LONG, 'read')],
};
const memoryServer = (file: string) => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js')],
  env: { MEMORY_FILE_PATH: join(folder, file) },
});

let door: OpenDoor;
beforeEach(() => void ran.splice(0));
afterEach(() => door.close());

const headersOf = (key?: string) => ({ headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } });
const listed = async (key?: string): Promise<string[]> =>
  (await door.rpc('tools/list', {}, headersOf(key))).message.result.tools.map(({ name }: { name: string }) => name);
const outcome = async (name: string, key?: string): Promise<string> => {
  const { message } = await door.rpc('tools/call', { name, arguments: {} }, headersOf(key));
  const { ok, error } = message.result._meta['portico/envelope'];
  return ok ? 'OK' : `${error.code}, executed: ${error.executed}`;
};
const DENIED = 'PERMISSION_DENIED, executed: no';
const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 15_000; !(await holds()); await delay(20))
    if (performance.now() > end) throw new Error('it never came to be so');
};
const ofShop = (names: string[]) => names.filter((name) => name.startsWith('shop.')).map((name) => name.slice(5, 15));

describe('[FD-10] what the policy denies is in no list, and is denied when called', () => {
  it('by default: reads are allowed, writes and what destroys are not', async () => {
    door = await openDoor(KEYS);
    await door.serve(shop);
    // A list waits no longer than 1.2 s for a source, and on a busy machine that may be too short.
    await eventually(async () => ofShop(await listed(ann)).length > 0);
    expect(ofShop(await listed(ann))).toEqual(['list_xxxxx', 'look']);
    expect(await outcome('shop.look', ann)).toBe('OK');
    // In none of the spellings that a name may have.
    for (const name of ['shop.paint', 'shop_paint', 'mcp__shop__paint', 'shop.burn'])
      expect([name, await outcome(name, ann)]).toEqual([name, DENIED]);
    expect(ran).toEqual(['look']);
    expect((await listed(ann)).filter((name) => name.startsWith('gateway.'))).toContain('gateway.describe');
    expect(await outcome('gateway.describe', ann)).toBe('OK');
  });

  it('all is allowed in none mode, but for what a rule denies', async () => {
    door = await openDoor({}, { policy: { access: [{ deny: ['*.burn', 'gateway.*'] }] } });
    await door.serve(shop);
    expect(ofShop(await listed())).toEqual(['list_xxxxx', 'look', 'paint']);
    expect([await outcome('shop.paint'), await outcome('shop.burn'), await outcome('gateway.health')]).toEqual([
      'OK',
      DENIED,
      'OK',
    ]);
  });

  it('by the full name, where clients are shown a shortened one', async () => {
    door = await openDoor({}, { policy: { access: [{ deny: [`shop.${LONG}`] }] } });
    await door.serve(shop);
    expect(ofShop(await listed())).toEqual(['burn', 'look', 'paint']);
    expect(await outcome(`shop.${LONG}`)).toBe(DENIED);
  });

  it('an MCP server’s own hints open nothing: its tools are writes until the file says otherwise', async () => {
    door = await openDoor(KEYS, {
      servers: { notes: memoryServer('notes.jsonl'), bare: { ...memoryServer('bare.jsonl'), mount: 'root' } },
      policy: { tools: [{ match: 'bare.read_*', effect: 'read' }] },
    });
    await eventually(async () => (await listed(ann)).includes('read_graph'));
    const names = (await listed(ann)).filter((name) => !/^(gateway|task)\./.test(name));
    // Of a server at the root too the rule speaks by its full name, and of no other.
    expect(names).toEqual(['read_graph']);
    expect(await outcome('read_graph', ann)).toBe('OK');
    expect(await outcome('notes.read_graph', ann)).toBe(DENIED);
    expect(await outcome('create_entities', ann)).toBe(DENIED);
  });
});

describe('[FD-10] a change of the file', () => {
  const write = (policy: object) => {
    const next = join(door.home, 'next.yaml');
    writeFileSync(next, JSON.stringify(policy));
    renameSync(next, join(door.home, 'policy.yaml'));
  };

  it('reaches lists, calls and effects of callers that are known already', async () => {
    door = await openDoor(KEYS);
    await door.serve(shop);
    expect(await outcome('shop.paint', ci)).toBe(DENIED);
    write({ access: [{ subjects: ['ci-*'], allow: ['shop.*'], deny: ['*.burn'] }] });
    await eventually(async () => (await outcome('shop.paint', ci)) === 'OK');
    expect(ofShop(await listed(ci))).toEqual(['list_xxxxx', 'look', 'paint']);
    expect(ofShop(await listed(ann))).toEqual(['list_xxxxx', 'look']);
    write({ tools: [{ match: 'shop.look', effect: 'write' }] });
    await eventually(async () => (await outcome('shop.look', ann)) === DENIED);
    expect(ofShop(await listed(ann))).toEqual(['list_xxxxx']);
    expect(await outcome('shop.paint', ci)).toBe(DENIED);
    writeFileSync(join(door.home, 'policy.yaml'), 'access: nobody');
    await eventually(async () => door.lines.some((line) => line.includes('policy.not-used')));
    expect(await outcome('shop.look', ann)).toBe(DENIED);
  });

  it('is told to those who listen', async () => {
    door = await openDoor();
    await door.serve(shop);
    await listed();
    const stream = await listen(door.url, { toolsListChanged: true });
    write({ access: [{ deny: ['shop.burn'] }] });
    await eventually(async () => stream.text().includes('notifications/tools/list_changed'));
    expect(ofShop(await listed())).not.toContain('burn');
    stream.close();
  });

  it('[FD-28] has the new profiles', async () => {
    door = await openDoor({}, { policy: { profiles: { 'paint@1': ['shop.paint'] } } });
    await door.serve(shop);
    await listed();
    const described = async (profile: string) => {
      const { message } = await door.rpc('tools/call', { name: 'gateway.describe', arguments: { profile } });
      const { ok, error } = message.result._meta['portico/envelope'];
      if (!ok) return error.message as string;
      const { domains } = JSON.parse(message.result.content[0].text) as { domains: { tools: { name: string }[] }[] };
      return domains.flatMap(({ tools }) => tools.map(({ name }) => name));
    };
    expect(await described('paint@1')).toEqual(['shop.paint']);
    write({ profiles: { 'paint@2': ['shop.paint', 'shop.look'] } });
    await eventually(async () => Array.isArray(await described('paint@2')));
    expect(await described('paint@2')).toEqual(['shop.look', 'shop.paint']);
    expect(await described('paint@1')).toBe('There is no such profile. Known: paint@2.');
  });
});

describe('a policy file that can not be used', () => {
  it('stops the start with one sentence that names the setting', async () => {
    door = await openDoor();
    const file = join(folder, 'broken.yaml');
    writeFileSync(file, 'tools: [{ match: "*", effect: wipe }]');
    const log = createLog({ name: 'test', level: 'silent' });
    const config = readConfig({ PORT: '0', ADMIN_PORT: '0', PORTICO_HOME: folder, POLICY_FILE: file });
    const bus = memoryBus({ log });
    await expect(startFrontDoor(bus, config, log)).rejects.toThrow(
      'POLICY_FILE broken.yaml, tools[0].effect: it is "wipe", but it takes one of read, write, destructive.',
    );
    await bus.close();
  });
});
