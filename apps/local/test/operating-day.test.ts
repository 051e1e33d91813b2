import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type NatsServer,
  type PostgresServer,
  type RedisServer,
  describeIfAvailable,
  freePort,
  startNatsServer,
  startPostgresServer,
  startRedisServer,
  toolPath,
} from '@portico/testkit';
import { call } from './rolling-callers.js';
import { build } from './running.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const SLOW_MS = 1_500;

/** The command of docs/operating.md that has this in it. */
const commandWith = (text: string): string => {
  const blocks = [...readFileSync(join(ROOT, 'docs/operating.md'), 'utf8').matchAll(/```sh\n([^]*?)```/g)];
  const found = blocks.map(([, block = '']) => block).find((block) => block.includes(text));
  if (found === undefined) throw new Error(`docs/operating.md has no command with ${text}.`);
  return found;
};
const until = async (done: () => boolean | Promise<boolean>, what: () => string): Promise<void> => {
  for (const end = Date.now() + 60_000; !(await done());) {
    if (Date.now() > end) throw new Error(`It did not happen: ${what()}`);
    await new Promise((next) => setTimeout(next, 50));
  }
};

/** A CI dispatcher that takes one token, and may be slow. */
class Dispatcher {
  token = 'first-token';
  delayMs = 0;
  private readonly server: Server = createServer((request, response) => {
    const allowed = request.headers.authorization === `Bearer ${this.token}`;
    const body = allowed ? { data: [], next_cursor: null, status: 'ok' } : { error: 'unauthorized' };
    setTimeout(
      () => response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      this.delayMs,
    );
  });

  async open(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describeIfAvailable('nats-server', '[OP-13] an operator’s day, by the commands of docs/operating.md', () =>
  describeIfAvailable('redis-server', 'on Redis', () =>
    describeIfAvailable('pgvector', 'and PostgreSQL', () => {
      const folder = mkdtempSync(join(tmpdir(), 'portico-day-'));
      const dispatcher = new Dispatcher();
      const children: ChildProcess[] = [];
      let nats: NatsServer;
      let redis: RedisServer;
      let postgres: PostgresServer;
      let env: Record<string, string>;
      let services: ChildProcess;
      let output = '';
      let door: string;
      let admin: string;

      beforeAll(async () => {
        build();
        [nats, redis, postgres] = await Promise.all([
          startNatsServer(),
          startRedisServer(),
          startPostgresServer({ vectors: true }),
        ]);
        const bin = dirname(toolPath('pgvector') as string);
        const [port, adminPort] = [await freePort(), await freePort()];
        door = `http://127.0.0.1:${port}/mcp`;
        admin = `http://127.0.0.1:${adminPort}`;
        env = {
          PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
          HOME: process.env['HOME'] ?? '',
          LD_LIBRARY_PATH: join(bin, '../lib'),
          BUS_URL: nats.url,
          REDIS_URL: redis.url,
          DATABASE_URL: postgres.url.replace(/postgres$/, 'portico'),
          ADMIN_DATABASE_URL: postgres.url,
          TOKEN: 'first-token',
          PORT: String(port),
          ADMIN_PORT: String(adminPort),
          PORTICO_HOME: join(folder, 'home'),
          WORKSPACE: join(folder, 'workspace'),
          LOG_FORMAT: 'json',
          CI_DISPATCHER_URL: await dispatcher.open(),
          CI_DISPATCHER_TOKEN_FILE: join(folder, 'ci-token'),
        };
        // What the page calls an empty database.
        await shell(commandWith('DROP DATABASE').split('\n')[0] as string);
      }, 180_000);
      afterAll(async () => {
        for (const child of children) child.kill('SIGKILL');
        dispatcher.close();
        await Promise.all([nats?.stop(), redis?.stop(), postgres?.stop()]);
        rmSync(folder, { recursive: true, force: true });
      }, 60_000);

      const shell = async (command: string): Promise<string> =>
        (await promisify(execFile)('sh', ['-ec', command], { cwd: folder, env, timeout: 60_000 })).stdout;
      /** What the page has to be started, of this checkout, in a folder of its own. */
      const run = (command: string): ChildProcess => {
        const here = command
          .replace('npm run start:services', `exec node ${join(ROOT, 'scripts/start-services.js')}`)
          .replace('node apps/', `exec node ${ROOT}/apps/`);
        const child = spawn('sh', ['-ec', here], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
        children.push(child);
        return child;
      };
      const runs = async (): Promise<string> =>
        call(door, 'dagger.list_runs', {}).then(
          ({ body }) => body,
          (error: unknown) => String(error),
        );
      const isGood = (body: string): boolean => body.includes('"result"') && !body.includes('"isError":true');
      const start = async (): Promise<void> => {
        output = '';
        services = run(commandWith('CI_DISPATCHER_URL').replace(/http:\S+/, env['CI_DISPATCHER_URL'] as string));
        await until(
          () => output.includes('All services are ready.'),
          () => output,
        );
        await until(
          async () => isGood(await runs()),
          () => output,
        );
      };
      const stop = async (): Promise<void> => {
        const ended = once(services, 'exit');
        services.kill('SIGINT');
        expect((await ended)[0]).toBe(0);
      };
      const metric = async (url: string, name: string): Promise<number> => {
        const page = await (await fetch(`${url}/metrics`)).text();
        return Number(
          page
            .split('\n')
            .find((line) => line.startsWith(name))
            ?.split(' ')
            .at(-1) ?? 0,
        );
      };
      const adminApi = async (path: string, body?: object): Promise<string> => {
        const token = readFileSync(join(env['PORTICO_HOME'] as string, 'admin-token'), 'utf8').trim();
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const given = body && { method: 'POST', body: JSON.stringify(body) };
        return (await fetch(`${admin}/api/${path}`, { headers, ...given })).text();
      };

      it('starts all services, with a domain whose token is in a file', async () => {
        await start();
        expect(readFileSync(join(folder, 'ci-token'), 'utf8')).toBe('first-token');
        expect(output).not.toContain('first-token');
      }, 120_000);

      it('rotates that token while all runs', async () => {
        dispatcher.token = 'second-token';
        expect(await runs()).toContain('UNAUTHENTICATED');
        env['TOKEN'] = dispatcher.token;
        await shell(commandWith('umask').split('\n')[0] as string);
        expect(isGood(await runs())).toBe(true);
      }, 60_000);

      let second: string;
      it('scales an adapter to two', async () => {
        const port = await freePort();
        const [begin = '', look = ''] = commandWith('OPS_PORT=9100').replaceAll('9100', String(port)).split('\n');
        second = `http://127.0.0.1:${port}`;
        run(begin);
        await until(
          async () => (await shell(look).catch(() => '')).includes('ok'),
          () => output,
        );
        await until(
          async () => {
            expect(isGood(await runs())).toBe(true);
            return (await metric(second, 'portico_bus_served_total{call="source.call-tool"')) > 0;
          },
          () => 'the second is asked',
        );
      }, 120_000);

      it('upgrades the first, and no call fails', async () => {
        const pids = readFileSync(`/proc/${services.pid}/task/${services.pid}/children`, 'utf8')
          .split(' ')
          .filter(Boolean);
        const first = pids.find((pid) =>
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('adapter-dagger'),
        ) as string;
        const failed: string[] = [];
        let going = true;
        const calls = Array.from({ length: 4 }, async () => {
          while (going) {
            const body = await runs();
            if (!isGood(body)) failed.push(body);
          }
        });
        process.kill(Number(first), 'SIGTERM');
        await until(
          () =>
            !existsSync(`/proc/${first}`) &&
            output.includes('adapter-dagger has ended (status 0). It is started again'),
          () => output,
        );
        const [, ready = ''] = /adapter-dagger +(http:\S+\/readyz)/.exec(output) ?? [];
        await until(
          () =>
            fetch(ready).then(
              ({ ok }) => ok,
              () => false,
            ),
          () => output,
        );
        going = false;
        await Promise.all(calls);
        expect(failed).toEqual([]);
      }, 120_000);

      it('reads in receipt and metrics why one call was slow', async () => {
        const sums = async () => {
          const [, ops = ''] = /adapter-dagger +(http:\S+)\/readyz/.exec(output) ?? [];
          const served = 'portico_bus_serve_duration_seconds_sum{call="source.call-tool"}';
          return {
            called: await metric(admin, 'portico_call_duration_seconds_sum{domain="dagger"}'),
            asked: await metric(admin, 'portico_bus_ask_duration_seconds_sum{call="source.call-tool"}'),
            served: (await metric(ops, served)) + (await metric(second, served)),
          };
        };
        const before = await sums();
        dispatcher.delayMs = SLOW_MS;
        expect(isGood(await runs())).toBe(true);
        dispatcher.delayMs = 0;
        const after = await sums();
        // All of the time is the backend's: whoever serves has it, too.
        for (const key of ['called', 'asked', 'served'] as const)
          expect([key, after[key] - before[key] > (SLOW_MS / 1_000) * 0.9]).toEqual([key, true]);
        const receipts = output
          .split('\n')
          .filter((line) => line.includes('"call.receipt"') && line.includes('"dagger"'));
        const slow = receipts.map(
          (line) => JSON.parse(line) as { duration_ms: number; served_from: string; correlation_id: string },
        );
        expect(slow.filter(({ duration_ms: ms }) => ms > SLOW_MS * 0.9)).toMatchObject([
          { served_from: 'backend', correlation_id: expect.any(String) },
        ]);
      }, 60_000);

      it('dumps the database, loses it, and restores it', async () => {
        const entry = { command: process.execPath, args: ['-e', ''] };
        expect(await adminApi('mcp/save', { name: 'drafts', entry })).toContain('"ok":true');
        await shell(commandWith('pg_dump'));
        expect(readFileSync(join(folder, 'portico.sql'), 'utf8')).toContain('drafts');
        await stop();
        const [lose = '', restore = ''] = commandWith('DROP DATABASE').split('\n');
        await shell(lose);
        await start();
        expect(await adminApi('mcp')).not.toContain('"drafts"');
        await stop();
        await shell(lose);
        await shell(restore);
        await start();
        expect(await adminApi('mcp')).toContain('"drafts"');
        await stop();
      }, 300_000);
    }),
  ),
);
