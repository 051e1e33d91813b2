import { CONTEXT_ARGUMENT, TASK_ARGUMENT } from './context-schemas.js';

export interface OwnArguments {
  /** What the tool's source is sent. */
  readonly args: Record<string, unknown>;
  /** `_gateway_context` and `_task`, as the caller gave them. */
  readonly hints?: unknown;
  readonly task?: unknown;
}

/** Takes out the arguments that are ours: those of `taken`, the names that the tool leaves to us. */
export function ownArguments(given: Record<string, unknown>, taken: readonly string[]): OwnArguments {
  if (!taken.some((name) => Object.hasOwn(given, name))) return { args: given };
  const args = { ...given };
  for (const name of taken) delete args[name];
  const ours = (name: string): unknown =>
    taken.includes(name) && Object.hasOwn(given, name) ? given[name] : undefined;
  return { args, hints: ours(CONTEXT_ARGUMENT), task: ours(TASK_ARGUMENT) };
}
