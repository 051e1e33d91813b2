import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeIfAvailable } from '@portico/testkit';
import { build } from './running.js';
import { Callers, call, send } from './rolling-callers.js';
import { type Instance, type RollingSystem, SERVICES, startRollingSystem } from './rolling-system.js';

const CALLERS = 8;
const PAUSE_MS = 25;
const STOP_LIMIT_MS = 10_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (done: () => boolean | Promise<boolean>, what: string): Promise<void> => {
  for (const end = Date.now() + 60_000; !(await done());) {
    if (Date.now() > end) throw new Error(`It did not happen: ${what}.`);
    await pause(25);
  }
};

beforeAll(build, 120_000);

describeIfAvailable('nats-server', '[OP-8] two processes of each service', () =>
  describeIfAvailable('redis-server', 'on Redis', () =>
    describeIfAvailable('pgvector', 'and PostgreSQL', () => {
      let system: RollingSystem;
      beforeAll(async () => {
        system = await startRollingSystem();
        for (const { mcp = '' } of system.doors) {
          for (const [tool, args] of [
            ['slow.wait', { ms: 1 }],
            ['ledger.read', { line: 'known 0' }],
            ['task.status', { resource: 'a:b' }],
            ['dagger.list_runs', {}],
          ] as const)
            await until(async () => {
              const { body } = await call(mcp, tool, args);
              return body.includes('"result"') && !body.includes('"isError":true');
            }, `${tool} answers at the start`);
        }
      }, 180_000);
      afterAll(() => system?.close(), 60_000);

      /** The status that it ends with, having been told to stop; it is started again, and ready, after. */
      const renew = async (instance: Instance): Promise<void> => {
        const { status, ms } = await instance.end('SIGTERM');
        expect([instance.service, status]).toEqual([instance.service, 0]);
        expect(ms).toBeLessThan(STOP_LIMIT_MS);
        instance.start();
        await instance.ready();
      };

      it('are stopped and started in turn under load, and no call fails, none is lost and none done twice', async () => {
        const callers = new Callers(system.doors, CALLERS, PAUSE_MS);
        const known = callers.outcomes;
        try {
          for (const service of SERVICES) {
            for (const instance of system.of(service)) {
              await renew(instance);
              const before = known.length;
              await until(() => known.length > before + 2 * CALLERS, 'calls go on');
            }
            expect([service, callers.failures]).toEqual([service, []]);
          }
        } finally {
          await callers.stop();
        }
        expect(callers.failures).toEqual([]);
        const written = known.filter(({ tool }) => tool === 'ledger.append');
        expect(written.length).toBeGreaterThan(CALLERS * SERVICES.length);
        expect(written.filter(({ line }) => system.world.ledger.get(line) !== 1)).toEqual([]);
      }, 400_000);

      it('a front door answers what runs and ends open subscriptions well, is not ready meanwhile, and takes no new connection', async () => {
        const [door] = system.doors as [Instance];
        const { mcp = '' } = door;
        const stream = await send(mcp, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
        const heard = text(stream);
        const running = call(mcp, 'slow.wait', { ms: 3_000 });
        await pause(1_000);
        const ended = door.end('SIGTERM');
        await until(async () => (await door.readiness()) === 503, 'it is not ready any more');
        const refused = await call(mcp, 'task.status', { resource: 'a:b' }).catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
        expect((await running).body).toContain('waited');
        // Cut off, the text would have been rejected; ended well, its last event is the result of the request.
        expect((await heard).trim().split('\n\n').at(-1)).toMatch(/"result":\{/);
        const { status, ms } = await ended;
        expect([status, ms < STOP_LIMIT_MS]).toEqual([0, true]);
        door.start();
        await door.ready();
      }, 120_000);

      it('a service behind it answers what runs, is not ready meanwhile, and its children end with it', async () => {
        const { mcp = '' } = system.doors[0] as Instance;
        // One of the two holds the server, and what the other one is asked is passed on to it.
        const holder = (): Instance | undefined => system.of('upstreams').find((one) => one.children().length > 0);
        await until(() => holder() !== undefined, 'one has the server');
        const running = Array.from({ length: 8 }, () => call(mcp, 'slow.wait', { ms: 3_000 }));
        await pause(1_000);
        const one = holder() as Instance;
        const children = one.children();
        const ended = one.end('SIGTERM');
        await until(async () => (await one.readiness()) === 503, 'it is not ready any more');
        expect(children.every((pid) => existsSync(`/proc/${pid}`))).toBe(true);
        // Not by the one that stops.
        const taken = call(mcp, 'slow.wait', { ms: 1 });
        for (const { body } of await Promise.all(running)) expect(body).toContain('waited');
        const { status, ms } = await ended;
        expect([status, ms < STOP_LIMIT_MS]).toEqual([0, true]);
        // The last one sees by the end of its pipe that nobody is left.
        await until(() => !children.some((pid) => existsSync(`/proc/${pid}`)), 'its children have ended');
        expect((await taken).body).toContain('waited');
        one.start();
        await one.ready();
      }, 120_000);

      it('a call that outlasts the stop of its front door is answered by it, and the stop still takes no more than 10 s', async () => {
        const [door] = system.doors as [Instance];
        const running = call(door.mcp ?? '', 'slow.wait', { ms: 25_000 });
        await pause(2_000);
        const { status, ms } = await door.end('SIGTERM');
        expect([status, ms < STOP_LIMIT_MS]).toEqual([0, true]);
        const { body } = await running;
        expect(body).toContain('BACKEND_UNAVAILABLE');
        expect(body).toContain('"executed":"unknown"');
        door.start();
        await door.ready();
      }, 120_000);

      it('a call that outlasts the stop is answered by a fault that says it may have run, and the stop still takes no more than 10 s', async () => {
        const { mcp = '' } = system.doors[0] as Instance;
        const running = Array.from({ length: 8 }, () => call(mcp, 'slow.wait', { ms: 25_000 }));
        await pause(2_000);
        const ends = await Promise.all(system.of('upstreams').map((instance) => instance.end('SIGTERM')));
        for (const { status, ms } of ends) expect([status, ms < STOP_LIMIT_MS]).toEqual([0, true]);
        for (const { body } of await Promise.all(running)) {
          expect(body).toContain('BACKEND_UNAVAILABLE');
          expect(body).toMatch(/"executed":"(unknown|no)"/);
        }
      }, 120_000);
    }),
  ),
);
