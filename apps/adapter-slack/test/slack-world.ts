import { readConfig, startAdapterSlack } from '@portico/adapter-slack';
import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { readConfig as readBridgeConfig, startSlackBridge } from '@portico/slack-bridge';
import { AskedDomain, SlackDouble } from '@portico/testkit';

/** A Slack, and before it the bridge and the adapter on one bus. All that ever leaves them is in `seen` and `lines`. */
export class SlackWorld extends AskedDomain {
  readonly lines: string[] = [];
  private served: { close(): Promise<void> }[] = [];

  private constructor(readonly slack: SlackDouble) {
    super(memoryBus(), 'domain.slack');
  }

  static async start(env: Record<string, string> = {}): Promise<SlackWorld> {
    const world = new SlackWorld(await SlackDouble.start());
    const token = env['SLACK_BOT_TOKEN_FILE'] === undefined && { SLACK_BOT_TOKEN: SlackDouble.TOKEN };
    const given = { SLACK_API_URL: world.slack.apiUrl, ...token, ...env };
    const write = (line: string) => void world.lines.push(line);
    const log = createLog({ name: 'test', format: 'json', level: 'debug', write });
    world.served = [
      await startSlackBridge(world.bus, readBridgeConfig(given)!, log),
      await startAdapterSlack(world.bus, readConfig(given)!, log),
    ];
    return world;
  }

  /** Of the last request: the method, and the form it was sent. */
  get asked(): { method: string; form: Record<string, string> } {
    const body = new URLSearchParams(this.slack.proxy.requests.at(-1)?.body);
    return { method: this.slack.methods.at(-1) ?? '', form: Object.fromEntries(body) };
  }

  async close(): Promise<void> {
    for (const served of this.served.reverse()) await served.close();
    await this.bus.close();
    await this.slack.close();
  }
}
