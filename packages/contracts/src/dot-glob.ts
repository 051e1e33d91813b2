/** Longest pattern, in characters: what matching one costs is linear in the name. */
export const PATTERN_LIMIT = 256;

/** A text with `*` for any characters, none included. Case-sensitive; looks at each character a bounded number of times. */
export class StarGlob {
  readonly #pieces: readonly string[];

  constructor(pattern: string) {
    this.#pieces = pattern.split(/\*+/);
  }

  /** Whether the part of `text` from `start` to `end` matches as a whole. */
  matches(text: string, start = 0, end = text.length): boolean {
    const pieces = this.#pieces;
    const first = pieces[0]!;
    if (pieces.length === 1) return end - start === first.length && text.startsWith(first, start);
    const last = pieces.at(-1)!;
    const room = end - last.length;
    let at = start + first.length;
    if (at > room || !text.startsWith(first, start) || !text.startsWith(last, room)) return false;
    // The leftmost place for each piece leaves the most room for those after it: no other needs to be tried.
    for (let index = 1; index < pieces.length - 1; index += 1) {
      const piece = pieces[index]!;
      const found = text.indexOf(piece, at);
      if (found < 0 || found + piece.length > room) return false;
      at = found + piece.length;
    }
    return true;
  }
}

/**
 * A pattern over full names `<domain>.<tool>`. What stands before the first dot of a name is its domain, all after it is the
 * tool, whatever further dots there are; `*` stays on its side of that dot. `*` alone is every tool, and `**` means `*`.
 */
export class DotGlob {
  readonly #domain: StarGlob;
  readonly #tool: StarGlob;

  /** `pattern`: one that `isDotGlob` takes. */
  constructor(readonly pattern: string) {
    const dot = pattern.indexOf('.');
    this.#domain = new StarGlob(dot < 0 ? '*' : pattern.slice(0, dot));
    this.#tool = new StarGlob(dot < 0 ? '*' : pattern.slice(dot + 1));
  }

  matches(fullName: string): boolean {
    const dot = fullName.indexOf('.');
    return dot > 0 && this.#domain.matches(fullName, 0, dot) && this.#tool.matches(fullName, dot + 1);
  }

  /** Whether it matches every name that the other matches; may say no where it does. */
  covers(other: DotGlob): boolean {
    // Only a `*` can match a `*`, and what it matches may then be anything.
    return this.matches(other.pattern.includes('.') ? other.pattern : '*.*');
  }
}

/** Whether a text can be a pattern over names of tools; one that could never match anything can not. */
export const isDotGlob = (text: string): boolean =>
  text.length <= PATTERN_LIMIT && (/^\*+$/.test(text) || /^[a-z0-9*-]+\.[^\p{Cc}]+$/u.test(text));
