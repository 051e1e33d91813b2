/**
 * A command line in words, as a shell would split it for plain quoting: '…' keeps all, "…" keeps all but \" and \\, a
 * backslash elsewhere keeps the next character. Nothing is expanded. Throws, in a sentence, for an open quote.
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  const piece = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;
  let word: string | undefined;
  while (piece.lastIndex < line.length) {
    const found = piece.exec(line);
    if (!found) throw new Error('it has a quote that is not closed, or ends in a backslash');
    const [whole, single, double, escaped, plain] = found;
    if (/^\s/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
