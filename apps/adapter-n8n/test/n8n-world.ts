import { readConfig, startAdapterN8n } from '@portico/adapter-n8n';
import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { AskedDomain } from '@portico/testkit';
import { N8nDouble } from './n8n-double.js';

export const KEY = 'n8n-key-0001';

/** An n8n, and the adapter before it on a bus of its own. All that ever leaves the adapter is in `seen` and `lines`. */
export class N8nWorld extends AskedDomain {
  readonly lines: string[] = [];
  private served: { close(): Promise<void> } | undefined;

  private constructor(readonly n8n: N8nDouble) {
    super(memoryBus(), 'domain.n8n');
  }

  static async start(env: Record<string, string> = { N8N_API_KEY: KEY }): Promise<N8nWorld> {
    const n8n = await N8nDouble.start();
    n8n.keys.add(KEY);
    const world = new N8nWorld(n8n);
    world.served = await startAdapterN8n(
      world.bus,
      readConfig({ N8N_URL: n8n.url, ...env })!,
      createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void world.lines.push(line) }),
    );
    return world;
  }

  async close(): Promise<void> {
    await this.served?.close();
    await this.bus.close();
    await this.n8n.close();
  }
}
