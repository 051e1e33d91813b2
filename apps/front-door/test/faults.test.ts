import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import { Envelope } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import {
  type LegacyHttpServer,
  type ModernHttpServer,
  type StdioFixture,
  describeIfAvailable,
  startLegacyHttpServer,
  startModernHttpServer,
  startNatsWithUsers,
  stdioServer,
} from '@portico/testkit';
import { echoDomain } from './echo-domain.js';
import { type OpenDoor, type RpcOptions, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';

let door: OpenDoor;
let modern: ModernHttpServer;
let legacy: LegacyHttpServer;
let stdio: StdioFixture;

beforeAll(async () => {
  [modern, legacy] = await Promise.all([startModernHttpServer(), startLegacyHttpServer()]);
  stdio = stdioServer();
  door = await openDoor(
    {},
    {
      servers: {
        modern: { url: modern.url, allowPrivate: true, callTimeoutSeconds: 4 },
        legacy: { url: legacy.url, allowPrivate: true, callTimeoutSeconds: 4 },
        stdio: { command: stdio.command, args: stdio.args, env: stdio.env, callTimeoutSeconds: 4 },
      },
    },
  );
  await door.serve(echoDomain().domain);
  await door.rpc('tools/list');
});
afterAll(async () => {
  await door.close();
  await Promise.all([modern.close(), legacy.close()]);
  stdio.close();
});

const executions: Record<string, () => number> = {
  modern: () => modern.executions,
  legacy: () => legacy.executions,
  stdio: () => stdio.executions(),
};
let before: Record<string, number> = {};
beforeEach(() => {
  before = Object.fromEntries(Object.entries(executions).map(([name, count]) => [name, count()]));
});
const executedNow = (server: string): number => (executions[server] as () => number)() - (before[server] as number);

const call = async (name: string, args: Record<string, unknown> = {}, options: RpcOptions = {}) => {
  const answer = await door.rpc('tools/call', { name, arguments: args }, options);
  expect(answer.status).toBe(200);
  const { result, error } = answer.message;
  return { answer, result, error: result ? Envelope.parse(result._meta['portico/envelope']).error : error };
};
/** Whatever has just happened, every namespace answers. */
const allAnswer = async (): Promise<void> => {
  for (const name of ['modern.echo', 'legacy.echo', 'stdio.echo', 'demo.echo']) {
    expect({ name, isError: (await call(name, { a: 1 })).result.isError }).toEqual({ name, isError: undefined });
  }
};

describe.each(['modern', 'legacy', 'stdio'])('[FD-21][FD-22][FD-24] a server that fails: %s', (server) => {
  it('hangs: TIMEOUT at its deadline, executed unknown, run once', async () => {
    const started = performance.now();
    const { error } = await call(`${server}.hang`);
    expect(error).toMatchObject({ code: 'TIMEOUT', executed: 'unknown', retryable: false });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(executedNow(server)).toBe(1);
    await allAnswer();
  });

  it.each(['die-before', 'die-during', 'die-after'])(
    '%s: BACKEND_UNAVAILABLE at once, never run twice, and the next call works',
    async (tool) => {
      const { error } = await call(`${server}.${tool}`);
      expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown', retryable: false });
      expect(executedNow(server)).toBe(tool === 'die-before' ? 0 : 1);
      await allAnswer();
    },
  );

  it('answers garbage: an honest code, run once', async () => {
    const { error } = await call(`${server}.garbage`);
    expect(error).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown', retryable: false });
    expect(executedNow(server)).toBe(1);
    await allAnswer();
  });

  it('[FD-25] floods 50 MB: PAYLOAD_TOO_LARGE, its connection is given up, run once', async () => {
    const { error } = await call(`${server}.flood`, { bytes: 50_000_000 });
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'yes' });
    expect(executedNow(server)).toBe(1);
    await allAnswer();
  });

  // Standard output has no end of its own for one answer: there a server that stops is one that dies.
  it.each(server === 'stdio' ? ['progress'] : ['progress', 'progress-then-stop'])(
    '[FD-26] %s: the progress arrives in order, then the end',
    async (tool) => {
      const { answer, error } = await call(`${server}.${tool}`, {}, { meta: { progressToken: 7 } });
      const progress = answer.events.slice(0, -1);
      expect(progress.map(({ params }: { params: { progress: number } }) => params.progress)).toEqual([1, 2, 3]);
      for (const { params } of progress) expect(params.progressToken).toBe(7);
      expect(error?.code).toBe(tool === 'progress' ? undefined : 'BACKEND_UNAVAILABLE');
      expect(executedNow(server)).toBe(1);
      await allAnswer();
    },
  );
});

describe('[FD-24] a session that the server has forgotten', () => {
  it('is made anew, and the call that found it gone runs exactly once', async () => {
    legacy.forgetSessions();
    const { result } = await call('legacy.echo', { a: 1 });
    expect(result.isError).toBeUndefined();
    expect(executedNow('legacy')).toBe(1);
  });

  it('also under 20 callers at once: each runs once', async () => {
    legacy.forgetSessions();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => call('legacy.echo', { n })));
    expect(answers.map(({ result }) => result.isError)).toEqual(Array.from({ length: 20 }, () => undefined));
    expect(executedNow('legacy')).toBe(20);
  });
});

describe('[FD-26] a client that disconnects mid-call', () => {
  it('has its call at a 2026 server ended at once, and costs nobody else anything', async () => {
    const controller = new AbortController();
    const abandoned = modern.abandoned;
    const pending = door
      .rpc('tools/call', { name: 'modern.hang' }, { signal: controller.signal })
      .catch(() => undefined);
    for (const end = Date.now() + 5_000; executedNow('modern') === 0;) {
      expect(Date.now()).toBeLessThan(end);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const left = performance.now();
    controller.abort();
    await pending;
    while (modern.abandoned === abandoned) {
      expect(performance.now() - left).toBeLessThan(1_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(executedNow('modern')).toBe(1);
    await allAnswer();
  });
});

describe('[FD-21] a domain that fails', () => {
  it('returning what is no result: UNKNOWN_ERROR, and its namespace and the others stay', async () => {
    const odd = plainSource('odd', ['wrong', 'right'], {
      callTool: async ({ tool }) => (tool === 'right' ? { content: [] } : ('not a result' as never)),
    });
    const served = await serveSource(door.bus, odd, { instance: 'o' });
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await call('odd.wrong')).error).toMatchObject({ code: 'UNKNOWN_ERROR', retryable: false });
      expect((await call('odd.right')).result.isError).toBeUndefined();
    }
    await allAnswer();
    await served.close();
  });
});

describeIfAvailable('nats-server', '[FD-21] over NATS', () => {
  it('a nats-server restarted under load: typed errors only, nothing run twice, and a quick recovery', async () => {
    const nats = await startNatsWithUsers();
    const front = await connectBus({ url: nats.urlOfAnybody, name: 'front-door' });
    const back = await connectBus({ url: nats.urlOfAnybody, name: 'adapter' });
    const executions = new Map<string, number>();
    const counting = plainSource('demo', ['count'], {
      callTool: async ({ arguments: { key } }) => {
        executions.set(String(key), (executions.get(String(key)) ?? 0) + 1);
        return { content: [{ type: 'text', text: String(key) }] };
      },
    });
    const served = await serveSource(back, counting, { instance: 'b' });
    const busy = await openDoor({}, { bus: front });
    await busy.rpc('tools/list');
    const ends = new Map<string, { code: string; executed?: string }>();
    const codes = new Map<string, number>();
    let stop = false;
    const caller = async (who: number): Promise<void> => {
      for (let turn = 0; !stop; turn += 1) {
        const key = `${who}-${turn}`;
        const answer = await busy.rpc('tools/call', { name: 'demo.count', arguments: { key } });
        expect(answer.status).toBe(200);
        const error = answer.message.result?._meta['portico/envelope'].error ?? answer.message.error?.data;
        const code = error?.code ?? 'OK';
        ends.set(key, { code, executed: error?.executed });
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code !== 'OK') await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const callers = Promise.all(Array.from({ length: 8 }, (_, who) => caller(who)));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await nats.kill();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await nats.restart();
    const back2 = Date.now();
    for (let ok = codes.get('OK') ?? 0; (codes.get('OK') ?? 0) <= ok;) {
      expect(Date.now() - back2).toBeLessThan(20_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop = true;
    await callers;
    expect([...codes.keys()].filter((code) => code !== 'OK' && code !== 'BACKEND_UNAVAILABLE')).toEqual([]);
    expect(codes.get('BACKEND_UNAVAILABLE')).toBeGreaterThan(0);
    for (const [key, { code, executed }] of ends) {
      const times = executions.get(key) ?? 0;
      if (code === 'OK') expect({ key, times }).toEqual({ key, times: 1 });
      else if (executed === 'no') expect({ key, times }).toEqual({ key, times: 0 });
      else expect(times).toBeLessThanOrEqual(1);
    }
    expect([...executions.keys()].filter((key) => !ends.has(key))).toEqual([]);
    await busy.close();
    await served.close();
    await Promise.all([front.close(), back.close()]);
    await nats.stop();
  });
});
