import type { Result, ServerContext } from '@modelcontextprotocol/server';

/** What one round of a tool or prompt sees of the request and of the fixture around it. */
export interface Round {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly context: ServerContext;
  /** Seals what the next round must get back; tampered state never reaches a round. */
  sealState(state: unknown): Promise<string>;
  /** Changes a list and tells every listening client. */
  announce(list: 'tools' | 'prompts'): void;
}

export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  run(round: Round): Promise<Result> | Result;
}

export interface FixturePrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  get(round: Round): Promise<Result> | Result;
}

/** The schema of a tool that takes nothing. */
export const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
