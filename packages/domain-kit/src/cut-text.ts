/** Where a text may be cut: at `at`, or one before where that would leave two halves of a character. */
export function cutPoint(text: string, at: number): number {
  const isInside = /[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 1));
  return isInside ? at - 1 : at;
}

/**
 * A text from the character `from` on, at most `most` of them. What is cut off is said, and how to get it; `how` is given
 * the character that comes next.
 */
export function cutText(text: string, from: number, most: number, how: (next: number) => string): string {
  const start = cutPoint(text, from);
  const end = cutPoint(text, Math.min(from + most, text.length));
  const shown = text.slice(start, end);
  return end < text.length ? `${shown}\n[cut: characters ${start} to ${end} of ${text.length}. ${how(end)}]` : shown;
}
