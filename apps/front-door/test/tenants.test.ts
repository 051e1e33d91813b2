import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Envelope, type Receipt } from '@portico/contracts';
import { type Domain, defineTool } from '@portico/domain-kit';
import { Seeded } from '@portico/testkit';
import { z } from 'zod';
import { hashOfApiKey, newApiKey } from '../src/auth/api-key.js';
import { keyFileText } from '../src/auth/key-file.js';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';

const OPERATIONS = 200;
const folder = mkdtempSync(join(tmpdir(), 'portico-tenants-'));
const people = [
  { tenant: 'red', subject: 'ann', scopes: ['portico:call', 'portico:receipts', 'billing'] },
  { tenant: 'blue', subject: 'bob', scopes: ['portico:call', 'portico:receipts'] },
  // The same name in another tenant is another person.
  { tenant: 'blue', subject: 'ann', scopes: ['portico:call'] },
].map((person) => {
  const { id, key } = newApiKey();
  const hash = hashOfApiKey(key).toString('hex');
  return { ...person, key, entry: { id, hash, ...person, createdAt: new Date().toISOString() } };
});
type Person = (typeof people)[number];
const [red, blue, namesake] = people as [Person, Person, Person];

const ran: { tool: string; tenant: string | undefined; subject: string | undefined; mark: unknown }[] = [];
const tool = (name: string, effect: 'read' | 'write') =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.looseObject({}),
    effect,
    handle: ({ mark }, { context }) => {
      ran.push({ tool: name, tenant: context?.principal.tenant, subject: context?.principal.subject, mark });
      return Promise.resolve(`${context?.principal.tenant}/${context?.principal.subject}`);
    },
  });
const domain: Domain = {
  name: 'shop',
  description: 'For tests.',
  version: '1.0.0',
  tools: [tool('look', 'read'), tool('bill', 'write'), tool('paint', 'write')],
};

let door: OpenDoor;
beforeAll(async () => {
  const file = join(folder, 'keys.json');
  writeFileSync(file, keyFileText(people.map(({ entry }) => entry)));
  door = await openDoor(
    { AUTH_MODE: 'api-key', API_KEYS_FILE: file, RATE_LIMIT_PER_SECOND: '0' },
    {
      tasks: true,
      policy: {
        access: [
          { scopes: ['billing'], allow: ['shop.bill'] },
          { tenants: ['blue'], allow: ['shop.paint'], deny: ['gateway.*'] },
        ],
      },
    },
  );
  await door.serve(domain);
  await as(red, 'tools/list');
});
afterAll(async () => {
  await door.close();
  rmSync(folder, { recursive: true });
});

const as = (person: Person, method: string, params: Record<string, unknown> = {}, options: RpcOptions = {}) =>
  door.rpc(method, params, { ...options, headers: { Authorization: `Bearer ${person.key}`, ...options.headers } });
const call = async (person: Person, name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) => {
  const { message } = await as(person, 'tools/call', { name, arguments: args }, options);
  return { result: message.result, envelope: Envelope.parse(message.result._meta['portico/envelope']) };
};
const receiptsOf = async (person: Person): Promise<Receipt[]> => {
  const { result } = await call(person, 'gateway.receipts', { limit: 1_000 });
  return JSON.parse(result.content[0].text).receipts;
};

describe('[FD-9][FD-10][FD-19][LE-1] two tenants, two scopes', () => {
  it(`see nothing of each other in ${OPERATIONS} random operations each way`, async () => {
    const random = new Seeded(20_261_130);
    const held = new Map<Person, string>();
    for (let step = 0; step < 2 * OPERATIONS; step++) {
      const [person, other] = step % 2 === 0 ? ([red, blue] as const) : ([blue, red] as const);
      const mark = `${person.tenant}-${step}`;
      // Whatever is claimed in arguments, headers or _meta, the principal stays who the key says.
      const lies: RpcOptions = {
        headers: {
          'X-Tenant': other.tenant,
          'Portico-Tenant': other.tenant,
          'X-Correlation-ID': mark,
          'X-Agent-ID': other.subject,
        },
        meta: { tenant: other.tenant, 'portico/tenant': other.tenant, principal: { tenant: other.tenant } },
      };
      const args = { mark, tenant: other.tenant, subject: other.subject };
      switch (random.pick(['list', 'look', 'bill', 'paint', 'describe', 'receipts', 'acquire', 'steal'])) {
        case 'list': {
          const { tools } = (await as(person, 'tools/list', {}, lies)).message.result;
          const names = tools
            .map(({ name }: { name: string }) => name)
            .filter((name: string) => name.startsWith('shop.'));
          expect(names).toEqual(person === red ? ['shop.bill', 'shop.look'] : ['shop.look', 'shop.paint']);
          break;
        }
        case 'look':
          expect((await call(person, 'shop.look', args, lies)).result.content[0].text).toBe(
            `${person.tenant}/${person.subject}`,
          );
          break;
        case 'bill':
          expect((await call(person, 'shop.bill', args, lies)).envelope.ok).toBe(person === red);
          break;
        case 'paint':
          expect((await call(person, 'shop.paint', args, lies)).envelope.error?.code).toBe(
            person === red ? 'PERMISSION_DENIED' : undefined,
          );
          break;
        case 'describe': {
          const { result } = await call(person, 'gateway.describe', { domain: 'shop' }, lies);
          const [shop] = JSON.parse(result.content[0].text).domains;
          expect(shop.tools.map(({ name }: { name: string }) => name)).not.toContain(
            person === red ? 'shop.paint' : 'shop.bill',
          );
          break;
        }
        case 'receipts':
          expect(new Set((await receiptsOf(person)).map(({ tenant }) => tenant))).toEqual(new Set([person.tenant]));
          break;
        case 'acquire': {
          // One resource of each tenant, for both hold one of that name.
          if (held.has(person)) break;
          const { result, envelope } = await call(person, 'task.acquire', { resource: 'room' }, lies);
          expect(envelope.ok).toBe(true);
          held.set(person, JSON.parse(result.content[0].text).lease_id);
          break;
        }
        case 'steal': {
          const lease = held.get(other);
          if (lease === undefined) break;
          const { envelope } = await call(person, 'task.release', { resource: 'room', lease_id: lease }, lies);
          expect(['CONFLICT', 'LEASE_EXPIRED']).toContain(envelope.error?.code);
        }
      }
    }
    expect(held.size).toBe(2);
    // Nothing ran as anybody but the one whose mark it bears.
    expect(ran.length).toBeGreaterThan(40);
    for (const { tenant, mark } of ran) expect(String(mark).split('-')[0]).toBe(tenant);
    expect(ran.filter(({ tool: name }) => name === 'bill').every(({ tenant }) => tenant === 'red')).toBe(true);
    const kept = await receiptsOf(red);
    expect(kept.every(({ correlation_id: id }) => !id.startsWith('blue-'))).toBe(true);
    for (const { lease_id: id } of [...held.values()].map((lease_id) => ({ lease_id })))
      expect(door.lines.join('')).not.toContain(id);
  });

  it('are people of their tenants: one of the same name in another is somebody else', async () => {
    expect((await call(namesake, 'shop.look', {})).result.content[0].text).toBe('blue/ann');
    expect((await call(namesake, 'shop.bill', {})).envelope.error?.code).toBe('PERMISSION_DENIED');
    const { result } = await call(blue, 'task.acquire', { resource: 'desk' });
    const { lease_id: lease } = JSON.parse(result.content[0].text);
    const { envelope } = await call(namesake, 'task.renew', { resource: 'desk', lease_id: lease });
    expect(envelope.error?.code).toBe('CONFLICT');
  });

  it('receipts are for those with the scope', async () => {
    const { envelope } = await call(namesake, 'gateway.receipts');
    expect(envelope.error).toMatchObject({ code: 'PERMISSION_DENIED', executed: 'no' });
  });

  it('a session of one is none of another’s: a cancellation with it ends nothing', async () => {
    const opened = await as(
      red,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      { revision: '2025-11-25' },
    );
    const session = opened.headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('');
    // Served as one without a session, which names no call.
    const { status } = await door.post(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
      { Authorization: `Bearer ${blue.key}`, 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' },
    );
    expect(status).toBe(202);
  });
});
