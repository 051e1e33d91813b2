import { Fault, callTool } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import type { AskOptions, Bus } from '@portico/bus';

/** A domain on a bus, asked as the front door asks it. All that ever leaves it is in `seen`. */
export class AskedDomain {
  readonly seen: unknown[] = [];

  constructor(
    readonly bus: Bus,
    private readonly source: SourceAddress,
    /** What goes with each call, unless it says otherwise. */
    private readonly usually: AskOptions = {},
  ) {}

  /** What a call answers, read as JSON. */
  async call(
    tool: string,
    args: Record<string, unknown> = {},
    options: AskOptions = {},
  ): Promise<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed */ {
    const asked = { deadlineMs: 20_000, ...this.usually, ...options };
    const result = await this.bus.ask(callTool(this.source), { tool, arguments: args }, asked);
    this.seen.push(result);
    return JSON.parse(String(result.content?.[0]?.['text']));
  }

  /** The fault that a call ends with. */
  async fault(tool: string, args: Record<string, unknown> = {}, options: AskOptions = {}): Promise<Fault> {
    let answer: unknown;
    try {
      answer = await this.call(tool, args, options);
    } catch (error) {
      const fault = Fault.from(error);
      this.seen.push(fault.toRecord());
      return fault;
    }
    throw new Error(`it did not fail: ${JSON.stringify(answer)}`);
  }
}
