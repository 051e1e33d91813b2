import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bus, connectBus } from '@portico/bus';
import * as contracts from '@portico/contracts';
import { readConfig as readDiscovery, startDiscovery } from '@portico/discovery';
import { readConfig as readFrontDoor, startFrontDoor } from '@portico/front-door';
import { configuredDomains } from '../apps/local/src/domains.js';
import { createLog } from '@portico/observe';
import { readConfig as readCache, startSemanticCache } from '@portico/semantic-cache';
import { readConfig as readTask, startTaskRuntime } from '@portico/task-runtime';
import { type NatsWithUsers, SlackDouble, describeIfAvailable, startNatsWithUsers } from '@portico/testkit';
import { readConfig as readUpstreams, startUpstreams } from '@portico/upstreams';
import { permissionFile, permissionsOf, usersOf } from '../scripts/nats-permission-file.js';

const root = join(import.meta.dirname, '..');
const FILE = join(root, 'infra/nats/permissions.conf');
const apps = readdirSync(join(root, 'apps'))
  .filter((name) => name !== 'local')
  .sort();
const services: Record<string, contracts.Conversations> = {};
for (const app of apps)
  services[app] = (
    (await import(`../apps/${app}/src/conversations.ts`)) as { conversations: contracts.Conversations }
  ).conversations;

/** The subjects of something that a service imports from the contracts: a call, some calls, or calls by a source's address. */
const subjectsOf = (value: unknown): string[] => {
  if (typeof value === 'function') {
    try {
      return subjectsOf((value as (at: string) => unknown)('*'));
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  if ('subject' in value && typeof value.subject === 'string') return [value.subject];
  const values = Object.values(value);
  return values.length > 0 && values.every((one) => typeof one === 'object' && one && 'subject' in one)
    ? values.flatMap(subjectsOf)
    : [];
};

/** All that the code of an app, and not its declaration, takes from a package. */
const importsOf = (app: string, from: string): Set<string> => {
  const names = new Set<string>();
  for (const file of readdirSync(join(root, 'apps', app, 'src'), { recursive: true }) as string[]) {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts') || file === 'conversations.ts') continue;
    const text = readFileSync(join(root, 'apps', app, 'src', file), 'utf8');
    for (const [, list = ''] of text.matchAll(new RegExp(`import \\{([^}]*)\\} from '${from}'`, 'g')))
      for (const item of list.split(',')) {
        const name = item.trim().split(' as ')[0] ?? '';
        if (name !== '' && !name.startsWith('type ')) names.add(name);
      }
  }
  return names;
};

const all = ({ serves, asks, tells, hears }: contracts.Conversations): string[] => [
  ...new Set([...serves, ...asks, ...tells, ...hears].map(({ subject }) => subject)),
];
/** What stays of a subject when the address in it may be any: `call-tool` of `domain.task.call-tool`. */
const kindOf = (subject: string): string => subject.replace(/^(domain|upstream)\..*\.|^\*\./, '');

describe('[OP-5] permissions on the bus', () => {
  it('are checked in as the declarations make them: npm run nats:permissions writes them', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(permissionFile(services));
  });

  it.each(apps)('%s declares what its code has to do with, and nothing else', (app) => {
    const names = importsOf(app, '@portico/contracts');
    const used = [...names].flatMap((name) => subjectsOf((contracts as Record<string, unknown>)[name]));
    const kit = importsOf(app, '@portico/domain-kit');
    // What serving a source is made of is the kit's own.
    const bySource = ['serveDomain', 'serveSource'].some((name) => kit.has(name));
    const ofSource = ['call-tool', 'read-resource', 'get-prompt', 'complete', 'describe', 'health'];
    const ofKit = bySource ? [...ofSource, ...all({ ...empty, tells: sourceTells, hears: [contracts.rollCall] })] : [];
    expect([...new Set([...used, ...ofKit].map(kindOf))].sort()).toEqual(
      [...new Set(all(services[app] ?? empty).map(kindOf))].sort(),
    );
  });

  it('let adapter-slack alone ask slack-bridge', () => {
    const may = apps.filter((app) =>
      permissionsOf(app, services).publish.some((subject) => /^(cancel\.)?slack-bridge\./.test(subject)),
    );
    expect(may).toEqual(['adapter-slack']);
  });
});

const empty: contracts.Conversations = { serves: [], asks: [], tells: [], hears: [] };
const { sourceHello, sourceBye, sourceHeartbeat, sourceChanged, resourceUpdated } = contracts;
const sourceTells = [sourceHello, sourceBye, sourceHeartbeat, sourceChanged, resourceUpdated];

/** What a server refuses of a user who tries everything, in its own words. */
const refusals = async (url: string, lines: readonly string[]): Promise<string[]> => {
  const { hostname, port, username: user, password: pass } = new URL(url);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(socket, 'data');
  socket.write(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, user, pass })}\r\n`);
  socket.write(`${lines.join('')}PING\r\n`);
  while (!said.includes('PONG')) await once(socket, 'data');
  socket.destroy();
  return [...said.matchAll(/-ERR 'Permissions Violation for (\w+) (?:to )?"([^"]+)"/g)].map(
    ([, what = '', subject = '']) => `${what} ${subject}`,
  );
};

/** As NATS compares them. */
const fits = (pattern: string, subject: string): boolean => {
  const tokens = subject.split('.');
  const wanted = pattern.split('.');
  if (wanted.at(-1) === '>')
    return (
      tokens.length >= wanted.length &&
      fits(wanted.slice(0, -1).join('.'), tokens.slice(0, wanted.length - 1).join('.'))
    );
  return wanted.length === tokens.length && wanted.every((token, place) => token === '*' || token === tokens[place]);
};

describeIfAvailable('nats-server', '[OP-5] the bus with its permissions', () => {
  let nats: NatsWithUsers;
  beforeAll(async () => {
    nats = await startNatsWithUsers(FILE);
  });
  afterAll(() => nats.stop());

  const inboxes = apps.map((app) => `_INBOX_${app}.someone`);
  const subjects = [
    ...new Set([
      ...apps.flatMap((app) => all(services[app] ?? empty).flatMap((one) => [one, `cancel.${one}`])),
      ...apps.flatMap((app) => all(services[app] ?? empty)).flatMap((one) => inboxes.map((to) => `${to}.${one}.0-1`)),
      ...['task', 'slack', 'cluster', 'other'].map((name) => `domain.${name}.call-tool`),
      '_INBOX.someone.1',
      '$SYS.REQ.SERVER.PING',
      'anything',
    ]),
  ].map((subject) => subject.replaceAll('*', 'any'));

  it('has two users for every service, which may the same', () => {
    expect(nats.users).toEqual(apps.flatMap(usersOf));
  });

  it.each(apps.flatMap((app) => usersOf(app).map((user) => [user, app] as const)))(
    'refuses %s every subject that is not its own, and no other',
    async (user, app) => {
      const { publish, subscribe } = permissionsOf(app, services);
      const tried = [...subjects, '>', '*.*.*', 'domain.>', ...inboxes.map((inbox) => inbox.replace('someone', '>'))];
      const refused = await refusals(nats.urlOf(user), [
        ...subjects.map((subject) => `PUB ${subject} 0\r\n\r\n`),
        ...tried.map((subject, sid) => `SUB ${subject} ${sid}\r\n`),
      ]);
      const may = (patterns: readonly string[], subject: string) => patterns.some((one) => fits(one, subject));
      expect(refused.filter((one) => one.startsWith('Publish '))).toEqual(
        subjects.filter((subject) => !may(publish, subject)).map((subject) => `Publish ${subject}`),
      );
      expect(refused.filter((one) => one.startsWith('Subscription '))).toEqual(
        tried
          .filter((subject) => subject !== `_INBOX_${app}.>` && !may(subscribe, subject))
          .map((subject) => `Subscription ${subject}`),
      );
    },
  );

  it('lets nobody in without a password', async () => {
    const refused = await connectBus({ url: nats.url, name: 'front-door' }).catch((error: Error) => error.message);
    expect(refused).toMatch(/^BUS_URL: .* does not let us in: Authorization Violation\.$/);
  });

  it('carries the whole system, each service with its own credential and nothing refused', async () => {
    const home = mkdtempSync(join(tmpdir(), 'portico-permissions-'));
    const slack = await SlackDouble.start();
    const lines: string[] = [];
    const log = createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void lines.push(line) });
    const env = {
      PORTICO_HOME: home,
      WORKSPACE: join(home, 'workspace'),
      PORT: '0',
      ADMIN_PORT: '0',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: SlackDouble.TOKEN,
      SEMANTIC_CACHE: 'on',
    };
    const running: { close(): Promise<void> }[] = [];
    const joined = async (name: string): Promise<Bus> => {
      const bus = await connectBus({ url: nats.urlOf(name), name, log });
      running.push(bus);
      return bus;
    };
    const started = async <T extends { close(): Promise<void> }>(
      name: string,
      start: (bus: Bus) => Promise<T>,
    ): Promise<T> => {
      const service = await start(await joined(name));
      running.push(service);
      return service;
    };
    try {
      await started('discovery', (bus) => startDiscovery(bus, readDiscovery(env), log));
      for (const _ of ['one', 'another'])
        await started('upstreams', (bus) => startUpstreams(bus, readUpstreams(env), log));
      await started('task-runtime', (bus) => startTaskRuntime(bus, readTask(env), log));
      await started('semantic-cache', (bus) => startSemanticCache(bus, readCache(env), log));
      for (const { name, start } of configuredDomains(env)) await started(name, (bus) => start(bus, log));
      const door = await started('front-door', (bus) => startFrontDoor(bus, readFrontDoor(env), log));
      const call = async (name: string, args: object): Promise<string> => {
        const response = await fetch(`${door.url}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
        });
        return response.text();
      };
      const heard = async (name: string, args: object, word: string): Promise<void> => {
        let answer = '';
        for (
          const until = performance.now() + 20_000;
          performance.now() < until;
          await new Promise((next) => setTimeout(next, 100))
        ) {
          answer = await call(name, args);
          if (answer.includes(word)) return;
        }
        throw new Error(`${name}: ${answer}\n${lines.slice(-20).join('\n')}`);
      };
      await heard('task.acquire', { resource: 'anything:1', ttl_seconds: 30 }, 'lease_id');
      await heard('slack.list_channels', {}, '"content"');
      await heard('gateway.health', {}, 'slack');
      await heard('files.list_directory', { path: env.WORKSPACE }, '"content"');
    } finally {
      for (const one of running.reverse()) await one.close();
      await slack.close();
      rmSync(home, { recursive: true, force: true });
    }
    expect(lines.filter((line) => /permissions? violation|bus\.server-error|subscription-refused/i.test(line))).toEqual(
      [],
    );
  }, 90_000);
});
