import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type NatsWithUsers,
  type PostgresServer,
  type RedisServer,
  describeIfAvailable,
  startNatsWithUsers,
  startPostgresServer,
  startRedisServer,
} from '@portico/testkit';
import { build } from './running.js';
import { slowServer } from './slow-server.js';

const MAIN = resolve(import.meta.dirname, '../../../scripts/start-services.js');

const alive = (pid: number): boolean => existsSync(`/proc/${pid}`);
const until = async (done: () => boolean | Promise<boolean>, what: () => string): Promise<void> => {
  for (const end = Date.now() + 30_000; !(await done());) {
    if (Date.now() > end) throw new Error(what());
    await new Promise((next) => setTimeout(next, 20));
  }
};

class Services {
  readonly child: ChildProcess;
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-services-'));
  output = '';
  readonly ended: Promise<number | NodeJS.Signals | null>;

  constructor(env: Record<string, string>, args: string[] = []) {
    const mcp = { mcpServers: { slow: { command: process.execPath, args: ['-e', slowServer] } } };
    writeFileSync(join(this.folder, 'mcp.json'), JSON.stringify(mcp));
    this.child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ADMIN_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    // Not `close`: services that outlive it hold its output open.
    this.ended = new Promise((done) => this.child.once('exit', (code, signal) => done(code ?? signal)));
  }

  /** The services themselves, by the name that each was started with. */
  pids(): Map<string, number> {
    const { pid } = this.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    const named = children.map((child) => {
      const command = readFileSync(`/proc/${child}/cmdline`, 'utf8');
      return [/apps\/([^/]+)\/dist\/main\.js/.exec(command)?.[1] ?? command, child] as const;
    });
    return new Map(named);
  }

  /** The agents' address, once the tool of the slow server answers: a list may be one that is remembered. */
  async open(): Promise<string> {
    await until(
      () => /"event":"front-door.listening"/.test(this.output) || this.child.exitCode !== null,
      () => this.output,
    );
    const url = /"url":"(http:[^"]+\/mcp)"/.exec(this.output)?.[1] as string;
    await until(
      async () => (await post(url, 'tools/call', { name: 'slow.wait', arguments: {} })).includes('waited'),
      () => this.output,
    );
    return url;
  }

  close(): void {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const post = async (url: string, method: string, params: object): Promise<string> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.text();
};

beforeAll(build, 120_000);

describe('npm run start:services', () => {
  let services: Services | undefined;
  afterEach(() => services?.close());

  it.each([
    [{}, ['BUS_URL', 'DATABASE_URL', 'REDIS_URL']],
    [{ BUS_URL: 'nats://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' }, ['DATABASE_URL']],
    [{ BUS_URL: 'nats://127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/x' }, ['REDIS_URL']],
    [{ BUS_URL: 'memory:', DATABASE_URL: 'postgres://h/x', REDIS_URL: 'redis://h' }, ['BUS_URL']],
  ])('refuses %j in one sentence that names %j', async (env, names) => {
    services = new Services(env as Record<string, string>);
    expect(await services.ended).toBe(1);
    const [sentence = '', ...more] = services.output.trim().split('\n');
    expect(more).toEqual([]);
    expect(sentence.match(/\b(BUS|DATABASE|REDIS)_URL\b/g)).toEqual(names);
    expect(sentence).toContain('npm start');
  });

  it('refuses what no service could start with, before any starts', async () => {
    services = new Services({ ...ELSEWHERE, PORT: 'eighty' });
    expect([await services.ended, services.output]).toEqual([1, expect.stringMatching(/^PORT is "eighty".*\n$/)]);
    services.close();
    services = new Services({}, ['--foo']);
    expect([await services.ended, services.output]).toEqual([1, expect.stringMatching(/^"--foo" .*--help.*\n$/)]);
  });

  it('ends them all with status 1 when one can not start, and tells which and why', async () => {
    services = new Services({ ...ELSEWHERE, BUS_URL: 'http://user:hunter2@127.0.0.1' });
    expect(await services.ended).toBe(1);
    expect(services.output).toMatch(/^[\w-]+: BUS_URL/m);
    expect(services.output).toMatch(/^[\w-]+ has ended \(status 1\)\. The other services are stopped\.$/m);
    expect(services.output).not.toContain('hunter2');
  });
});

const ELSEWHERE = { BUS_URL: 'nats://127.0.0.1:1', DATABASE_URL: 'postgres://h/x', REDIS_URL: 'redis://h' };

describeIfAvailable('nats-server', 'start:services on real servers', () =>
  describeIfAvailable('redis-server', 'and Redis', () =>
    describeIfAvailable('postgres', 'and PostgreSQL', () => {
      let nats: NatsWithUsers;
      let redis: RedisServer;
      let postgres: PostgresServer;
      const buses = mkdtempSync(join(tmpdir(), 'portico-buses-'));
      let services: Services;
      let url: string;
      let pids: Map<string, number>;

      beforeAll(async () => {
        [nats, redis, postgres] = await Promise.all([startNatsWithUsers(), startRedisServer(), startPostgresServer()]);
        for (const user of nats.users) writeFileSync(join(buses, user), nats.urlOf(user));
      }, 60_000);
      afterAll(async () => {
        const refused = nats.refused();
        await Promise.all([nats.stop(), redis.stop(), postgres.stop()]);
        rmSync(buses, { recursive: true });
        // Each came with its own credential, and did nothing that it may not.
        expect(refused).toEqual([]);
      });
      beforeEach(async () => {
        services = new Services({
          BUS_URL_FILE: join(buses, '{service}'),
          REDIS_URL: redis.url,
          DATABASE_URL: postgres.url,
        });
        url = await services.open();
        pids = services.pids();
      }, 60_000);
      afterEach(() => services.close());

      const allEnd = () =>
        until(
          () => ![...pids.values()].some(alive),
          () => `still there: ${[...pids].filter(([, pid]) => alive(pid)).join(' ')}\n${services.output}`,
        );

      const readyAddresses = () =>
        [...services.output.matchAll(/(http:\S+\/readyz)$/gm)].map(([, address = '']) => address);
      const isReady = (address: string) =>
        fetch(address).then(
          ({ ok }) => ok,
          () => false,
        );

      it('[OP-10] tells when all are ready, once all are', async () => {
        await until(
          () => services.output.includes('All services are ready.'),
          () => services.output,
        );
        expect(await Promise.all(readyAddresses().map(isReady))).toEqual([...pids].map(() => true));
        expect(services.output.match(/All services are ready\./g)).toHaveLength(1);
      });

      it('[OP-10] runs each service that is configured, each with its own port for operators, and shows no secret', async () => {
        expect([...pids.keys()]).toEqual(expect.arrayContaining(['discovery', 'front-door', 'upstreams']));
        expect(pids.has('adapter-cluster')).toBe(false);
        const ready = [...services.output.matchAll(/^([\w-]+) +(http:\S+\/readyz)$/gm)];
        expect(ready.map(([, name]) => name)).toEqual(expect.arrayContaining(['discovery', 'upstreams']));
        expect(new Set(ready.map(([, , address]) => address)).size).toBe(pids.size - 1);
        for (const [, , address = ''] of ready) expect(await (await fetch(address)).json()).toEqual({ status: 'ok' });
        expect(services.output).not.toContain(postgres.password);
      });

      it('stops the front door first on a signal: a call that runs is answered, and all end with status 0', async () => {
        const call = post(url, 'tools/call', { name: 'slow.wait', arguments: {} });
        await new Promise((resolve) => setTimeout(resolve, 500));
        services.child.kill('SIGINT');
        await until(
          () => !alive(pids.get('discovery') as number),
          () => services.output,
        );
        expect(alive(pids.get('front-door') as number)).toBe(false);
        expect(await call).toContain('waited');
        expect(await services.ended).toBe(0);
        await allEnd();
      });

      it('[OP-10] starts each again that dies, on the port that it had, and calls go on', async () => {
        const addresses = readyAddresses();
        for (const [name, pid] of pids) {
          process.kill(pid, 'SIGKILL');
          await until(
            () => services.output.includes(`${name} has ended (SIGKILL). It is started again in 0.1 s.`),
            () => services.output,
          );
        }
        await until(
          () => services.pids().size === pids.size,
          () => `not all there: ${[...services.pids().keys()].join(' ')}`,
        );
        await until(
          async () => (await Promise.all(addresses.map(isReady))).every(Boolean),
          () => services.output,
        );
        await until(
          async () =>
            (await post(url, 'tools/call', { name: 'slow.wait', arguments: {} }).catch(String)).includes('waited'),
          () => services.output,
        );
        services.child.kill('SIGTERM');
        expect(await services.ended).toBe(0);
        await allEnd();
      });

      it('leaves no service behind when it is killed itself', async () => {
        services.child.kill('SIGKILL');
        await allEnd();
      });

      it('ends them at once on a second signal', async () => {
        void post(url, 'tools/call', { name: 'slow.wait', arguments: {} }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 500));
        services.child.kill('SIGTERM');
        await new Promise((resolve) => setTimeout(resolve, 200));
        services.child.kill('SIGTERM');
        expect(await services.ended).toBe(143);
        await allEnd();
      });
    }),
  ),
);
