import { MemoryHub, memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, guardLease } from '@portico/contracts';
import type { CallContext, LeaseVerdict, ToolResult } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startTaskRuntime } from '@portico/task-runtime';

export type Caller = CallContext['principal'] & { readonly agent?: string; readonly taskId?: string };
export interface Granted {
  readonly lease_id: string;
  readonly lease_ref: string;
  readonly resource: string;
  readonly fence: number;
  readonly expires_at: string;
}

export const ALICE: Caller = { tenant: 'acme', subject: 'alice' };
export const BOB: Caller = { tenant: 'acme', subject: 'bob' };

/** Instances of the service on one bus, each with its own connection to the store, and callers of them. */
export async function startRuntimes({ redisUrl = 'memory:', instances = 1, hub = new MemoryHub() } = {}) {
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'debug', format: 'json', write: (line) => void lines.push(line) });
  const buses: Bus[] = [];
  const running: { close(): Promise<void> }[] = [];
  for (let n = 0; n < instances; n += 1) {
    const bus = memoryBus({ hub, log });
    buses.push(bus);
    running.push(await startTaskRuntime(bus, readConfig({ REDIS_URL: redisUrl }), log));
  }
  const bus = memoryBus({ hub, log });
  const call = (tool: string, args: Record<string, unknown>, caller: Caller): Promise<ToolResult> => {
    const { tenant, subject, ...ids } = caller;
    const context = { correlationId: 'c-1', ...ids, principal: { tenant, subject } };
    return bus.ask(callTool('domain.task'), { tool, arguments: args }, { deadlineMs: 10_000, context });
  };
  const told = async <T>(tool: string, args: Record<string, unknown>, caller: Caller): Promise<T> =>
    JSON.parse((await call(tool, args, caller)).content?.[0]?.['text'] as string) as T;
  return {
    bus,
    /** Every line that was logged. */
    lines,
    call,
    /** Content element 0 of the result. */
    told,
    acquire: (resource: string, caller: Caller, more: Record<string, unknown> = {}) =>
      told<Granted>('acquire', { resource, ...more }, caller),
    guard: (resource: string, leaseId: string, { tenant, subject }: Caller, keepMs = 1): Promise<LeaseVerdict> =>
      bus.ask(guardLease, { principal: { tenant, subject }, resource, leaseId, keepMs }),
    async close() {
      for (const one of running) await one.close();
      for (const one of [...buses, bus]) await one.close();
    },
  };
}
export type Runtimes = Awaited<ReturnType<typeof startRuntimes>>;

/** Asks until the store answers, as a caller whose next turn comes does. */
export async function untilAnswered(tasks: Runtimes): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const answered = await tasks.guard('any', 'any', ALICE).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The store of leases is not back.');
}
