import { readConfig, startAdapterN8n } from '@portico/adapter-n8n';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { Fault, callTool } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { N8nDouble } from './n8n-double.js';

export const KEY = 'n8n-key-0001';

/** An n8n, and the adapter before it on a bus of its own. All that ever leaves the adapter is in `seen` and `lines`. */
export class N8nWorld {
  readonly seen: unknown[] = [];
  readonly lines: string[] = [];
  private served: { close(): Promise<void> } | undefined;

  private constructor(
    readonly n8n: N8nDouble,
    readonly bus: Bus,
  ) {}

  static async start(env: Record<string, string> = { N8N_API_KEY: KEY }): Promise<N8nWorld> {
    const n8n = await N8nDouble.start();
    n8n.keys.add(KEY);
    const world = new N8nWorld(n8n, memoryBus());
    world.served = await startAdapterN8n(
      world.bus,
      readConfig({ N8N_URL: n8n.url, ...env })!,
      createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void world.lines.push(line) }),
    );
    return world;
  }

  async call(
    tool: string,
    args: Record<string, unknown> = {},
    options: { signal?: AbortSignal; deadlineMs?: number } = {},
  ): Promise<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed */ {
    const asked = { deadlineMs: 20_000, ...options };
    const result = await this.bus.ask(callTool('domain.n8n'), { tool, arguments: args }, asked);
    this.seen.push(result);
    return JSON.parse(String(result.content?.[0]?.['text']));
  }

  /** The fault that a call ends with. */
  fault(tool: string, args: Record<string, unknown> = {}, options: { deadlineMs?: number } = {}): Promise<Fault> {
    return this.call(tool, args, options).then(
      (answer: unknown) => Promise.reject(new Error(`it did not fail: ${JSON.stringify(answer)}`)),
      (error: unknown) => {
        const fault = Fault.from(error);
        this.seen.push(fault.toRecord());
        return fault;
      },
    );
  }

  async close(): Promise<void> {
    await this.served?.close();
    await this.bus.close();
    await this.n8n.close();
  }
}
