import { statSync, watch } from 'node:fs';
import type { FSWatcher, Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** After the first word of a change, milliseconds in which its others come. */
const TOGETHER_MS = 100;
/** Every so many milliseconds the file itself is looked at: links elsewhere and network folders send no word. */
const LOOK_MS = 1_000;

/**
 * Calls `changed` soon after the file at `path` may have changed: written, replaced by a rename or by a link, deleted or
 * there again. May call when nothing has; never calls twice at once. Close it: it holds a watcher and a timer.
 */
export class WatchedFile {
  readonly #folder: string;
  #watcher: FSWatcher | undefined;
  #telling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout;
  #seen: string;
  #closed = false;

  constructor(
    private readonly path: string,
    private readonly changed: () => void,
  ) {
    this.#folder = dirname(path);
    this.#watch();
    // Now, not later: a change after its owner read it is one.
    this.#seen = seenAt(path);
    this.#looking = this.#lookLater();
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    clearTimeout(this.#telling);
    clearTimeout(this.#looking);
  }

  /** The folder, not the file: a watcher stays with a file that was renamed away, and sees nothing of its successor. */
  #watch(): void {
    try {
      const watcher = watch(this.#folder, { persistent: false }, () => this.#soon());
      watcher.on('error', () => {
        watcher.close();
        if (this.#watcher === watcher) this.#watcher = undefined;
      });
      this.#watcher = watcher;
    } catch {
      // No such folder yet, or no watcher left to be had: looking goes on.
    }
  }

  #lookLater(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#looking);
    const now = await stat(this.path).then(seen, reasonOf);
    if (this.#closed) return;
    if (this.#seen !== now) this.#soon();
    this.#seen = now;
    if (this.#watcher === undefined) this.#watch();
    this.#looking = this.#lookLater();
  }

  #soon(): void {
    if (this.#closed) return;
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.changed();
    }, TOGETHER_MS).unref();
  }
}

const seen = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string => [dev, ino, size, mtimeMs, ctimeMs].join(' ');
const reasonOf = (error: NodeJS.ErrnoException): string => String(error.code);

const seenAt = (path: string): string => {
  try {
    return seen(statSync(path));
  } catch (error) {
    return reasonOf(error as NodeJS.ErrnoException);
  }
};
