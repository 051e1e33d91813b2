import { afterEach } from '@jest/globals';
import { stdioServer } from '@portico/testkit';
import type { StdioFixture, StdioScript } from '@portico/testkit';

interface Closable {
  close(): unknown;
}

/** Keeps what a test opens, and closes it after the test, the last opened first. Call it once, at the top of a file. */
export function opened() {
  const kept: Closable[] = [];
  afterEach(async () => {
    for (const one of kept.splice(0).reverse()) await one.close();
  });
  const keep = <One extends Closable>(one: One): One => {
    kept.push(one);
    return one;
  };
  return { keep, fixture: (script?: StdioScript): StdioFixture => keep(stdioServer(script)) };
}

/** A double of a server as an entry names it. */
export const entryOf = ({ command, args, env }: StdioFixture) => ({ command, args, env });
