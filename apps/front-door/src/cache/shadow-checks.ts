import type { Bus } from '@portico/bus';
import { type CacheQuestion, type ToolResult, reportShadowCheck } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { PublishedTool } from '../published-tool.js';
import { comparable } from './comparable.js';

/** Most checks that run at once; further ones are left out. */
const MOST_RUNNING = 4;

/** Whether what was given for a similar question is what the tool says to it: asked of a share of such answers, behind them. */
export class ShadowChecks {
  private running = 0;

  constructor(
    private readonly bus: Bus,
    /** Share of semantic hits that are checked, 0 to 1. */
    private readonly share: number,
    private readonly log: Log,
  ) {}

  /**
   * Runs the tool with the arguments of the call, and with the texts that the entry answered, and reports whether both say
   * the same now. Nobody waits for it; a run that fails tells nothing. `run` leaves a receipt that calls it a check.
   */
  begin(
    tool: PublishedTool,
    args: Record<string, unknown>,
    { similar }: CacheQuestion,
    texts: readonly string[],
    run: (args: Record<string, unknown>) => Promise<ToolResult>,
  ): void {
    if (similar === undefined || this.running >= MOST_RUNNING || Math.random() >= this.share) return;
    const names = (tool.policy.cache?.freeText ?? []).filter((name) => typeof args[name] === 'string');
    if (names.length !== texts.length) return;
    const others = { ...args, ...Object.fromEntries(names.map((name, index) => [name, texts[index]])) };
    const volatile = tool.policy.cache?.volatile ?? [];
    this.running += 1;
    Promise.all([run(args), run(others)])
      .then(async ([one, other]) => {
        if (one.isError === true || other.isError === true) return;
        const agreed = comparable(one, volatile) === comparable(other, volatile);
        await this.bus.ask(reportShadowCheck, { tool: tool.fullName, agreed });
      })
      .catch((error: unknown) => this.log.debug('cache.check-failed', { tool: tool.fullName, error }))
      .finally(() => (this.running -= 1));
  }
}
