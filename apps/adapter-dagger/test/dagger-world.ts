import { readConfig, startAdapterDagger } from '@portico/adapter-dagger';
import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { AskedDomain } from '@portico/testkit';
import { DispatcherDouble } from './dispatcher-double.js';

export const TOKEN = 'ci-token-0001';

/** A dispatcher, and the adapter before it on a bus of its own. All that ever leaves the adapter is in `seen` and `lines`. */
export class DaggerWorld extends AskedDomain {
  readonly lines: string[] = [];
  private served: { close(): Promise<void> } | undefined;

  private constructor(readonly dispatcher: DispatcherDouble) {
    super(memoryBus(), 'domain.dagger');
  }

  static async start(env: Record<string, string> = { CI_DISPATCHER_TOKEN: TOKEN }): Promise<DaggerWorld> {
    const dispatcher = await DispatcherDouble.start();
    dispatcher.tokens.add(TOKEN);
    const world = new DaggerWorld(dispatcher);
    world.served = await startAdapterDagger(
      world.bus,
      readConfig({ CI_DISPATCHER_URL: dispatcher.url, ...env })!,
      createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void world.lines.push(line) }),
    );
    return world;
  }

  async close(): Promise<void> {
    await this.served?.close();
    await this.bus.close();
    await this.dispatcher.close();
  }
}
