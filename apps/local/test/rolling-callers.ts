import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Instance } from './rolling-system.js';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A message of 2026-07-28, with the headers that it has to have. Resolves to the answer as it begins. */
export function send(
  url: string,
  method: string,
  params: { readonly name?: string; readonly [key: string]: unknown },
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': REVISION,
    'Mcp-Method': method,
    ...(params.name !== undefined && { 'Mcp-Name': params.name }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, resolve);
    sent.on('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }));
  });
}

/** What became of a call. */
export interface Outcome {
  readonly tool: string;
  readonly line: string;
  /** `ok`, or the whole answer or error. */
  readonly how: string;
}

/** One call; what an answer says, without the event that it may have come in. */
export async function call(
  url: string,
  name: string,
  args: object,
  agent: Agent | false = false,
): Promise<{ body: string; isLast: boolean }> {
  const response = await send(url, 'tools/call', { name, arguments: args }, agent);
  const isLast = response.headers.connection === 'close';
  return { body: await text(response), isLast };
}

const TURN = ['ledger.append', 'ledger.read', 'slow.wait', 'ledger.append', 'task.status', 'dagger.list_runs'];
const argumentsOf = (tool: string, line: string): object => {
  if (tool === 'slow.wait') return { ms: 50 };
  if (tool === 'task.status') return { resource: `line:${line}` };
  return tool === 'dagger.list_runs' ? {} : { line };
};

/** Callers that keep their connection, and go to the next front door when one takes no more or says that it goes. */
export class Callers {
  readonly outcomes: Outcome[] = [];
  private going = true;
  private lines = 0;
  private readonly ended: Promise<unknown>;

  constructor(
    private readonly doors: readonly Instance[],
    count: number,
    private readonly pauseMs: number,
  ) {
    this.ended = Promise.all(Array.from({ length: count }, (_, number) => this.caller(number)));
  }

  get failures(): Outcome[] {
    return this.outcomes.filter(({ how }) => how !== 'ok');
  }

  async stop(): Promise<void> {
    this.going = false;
    await this.ended;
  }

  private async caller(number: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let door = number;
    for (let turn = number; this.going; turn++) {
      const tool = TURN[turn % TURN.length] as string;
      const line = tool === 'ledger.read' ? `known ${turn % 3}` : `line ${this.lines++}`;
      const { mcp } = this.doors[door % this.doors.length] as Instance;
      try {
        const { body, isLast } = await call(mcp as string, tool, argumentsOf(tool, line), agent);
        const isGood = body.includes('"result"') && !body.includes('"isError":true');
        this.outcomes.push({ tool, line, how: isGood ? 'ok' : body });
        if (isLast) door++;
      } catch (error) {
        // Nothing was sent where no connection was to be had.
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') door++;
        else this.outcomes.push({ tool, line, how: String(error) });
      }
      await new Promise((next) => setTimeout(next, this.pauseMs));
    }
    agent.destroy();
  }
}
