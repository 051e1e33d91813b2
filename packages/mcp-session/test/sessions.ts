import { Fault } from '@portico/contracts';
import type { ToolCallRequest } from '@portico/contracts';
import { HeldSession } from '@portico/mcp-session';
import type { HeldSessionOptions, ServerTarget, TargetSource } from '@portico/mcp-session';

const opened: HeldSession[] = [];

/** A session that `closeSessions` ends. */
export function hold(target: TargetSource, options: Partial<HeldSessionOptions> = {}): HeldSession {
  const session = new HeldSession(target, { name: 'fixture', ...options });
  opened.push(session);
  return session;
}

export const overHttp = (
  url: string,
  more: Partial<Extract<ServerTarget, { transport: 'http' }>> = {},
): ServerTarget => ({
  transport: 'http',
  url,
  headers: {},
  ...more,
});

export const overStdio = ({
  command,
  args,
  env,
}: {
  command: string;
  args: string[];
  env: Record<string, string>;
}): ServerTarget => ({
  transport: 'stdio',
  command,
  args,
  env,
});

export const closeSessions = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
};

export const call = (
  tool: string,
  args: Record<string, unknown> = {},
  more: Partial<ToolCallRequest> = {},
): ToolCallRequest => ({
  tool,
  arguments: args,
  ...more,
});

/** A deadline far beyond what any test needs. */
export const soon = (): AbortSignal => AbortSignal.timeout(20_000);

/** What a promise rejects with, which must be a Fault. */
export async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof Fault) return outcome.error;
  throw new Error(`expected a Fault, got ${JSON.stringify(outcome)}`, {
    cause: 'error' in outcome ? outcome.error : undefined,
  });
}

/** Resolves once `condition` holds; rejects after 10 s. */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !condition();) {
    if (performance.now() > end) throw new Error(`never came true: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
