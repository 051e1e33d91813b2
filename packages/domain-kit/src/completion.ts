import type { CallScope } from './call-scope.js';
import type { CompleteResult } from './serve-source.js';

/** Suggests values for one argument from what is typed so far and from the arguments already given. */
export type Completer = (
  typed: string,
  given: Record<string, string>,
  scope: CallScope,
) => readonly string[] | Promise<readonly string[]>;
export type Completers = Readonly<Record<string, Completer>>;

/** MCP allows no more in one answer. */
const MOST_VALUES = 100;

export async function completionOf(
  completers: Completers,
  argument: { name: string; value: string },
  context: Record<string, unknown> | undefined,
  scope: CallScope,
): Promise<CompleteResult> {
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  const values = completer ? await completer(argument.value, givenArguments(context), scope) : [];
  return {
    completion: { values: values.slice(0, MOST_VALUES), total: values.length, hasMore: values.length > MOST_VALUES },
  };
}

function givenArguments(context: Record<string, unknown> | undefined): Record<string, string> {
  const given = context?.['arguments'];
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
