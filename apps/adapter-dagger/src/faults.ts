/**
 * A sentence for callers from an error answer of the dispatcher. Only what is about the caller's own arguments is said,
 * and in our words: its own may name what is behind it.
 */
export function explainDispatcher(status: number): string | undefined {
  switch (status) {
    case 400:
    case 422:
      return 'The CI dispatcher did not accept the arguments; a cursor is only good for the question that it came from.';
    case 404:
      return 'The CI dispatcher has no such run; dagger.list_runs has those that there are.';
    case 410:
      return 'The CI dispatcher no longer has this.';
    default:
      return undefined;
  }
}
