import { existsSync } from 'node:fs';
import type { Log } from '@portico/observe';
import { WatchedFile } from '@portico/settings';
import type { ConfiguredServer } from './configured-server.js';
import { ServersFileError, parseServersFile, readServersText } from './servers-file.js';

export interface FileServersOptions {
  readonly path: string;
  /** The file may be absent, and then there are no servers of it. */
  readonly optional: boolean;
  readonly log: Log;
  readonly changed: () => void;
}

/** The servers of the file, read again whenever it changes. A file that can not be used changes nothing, and says why. */
export class FileServers {
  #watched: WatchedFile;
  #text: string | undefined;
  #servers: readonly ConfiguredServer[] | undefined;
  #error: string | undefined;

  /** Throws a ServersFileError when the file that is there at the start can not be used. */
  constructor(private readonly options: FileServersOptions) {
    const { path, optional } = options;
    if (!optional || existsSync(path)) {
      this.#text = readServersText(path);
      this.#servers = parseServersFile(path, this.#text);
    }
    this.#watched = new WatchedFile(path, () => this.#read());
  }

  /** Undefined: there is no file, and none has to be. */
  get servers(): readonly ConfiguredServer[] | undefined {
    return this.#servers;
  }

  /** Why the file as it is now is not what is served. */
  get error(): string | undefined {
    return this.#error;
  }

  close(): void {
    this.#watched.close();
  }

  #read(): void {
    const { path, optional, log, changed } = this.options;
    if (optional && this.#servers === undefined && !existsSync(path)) return;
    try {
      const text = readServersText(path);
      const known = text === this.#text;
      if (known && this.#error === undefined) return;
      const servers = known ? this.#servers : parseServersFile(path, text);
      this.#text = text;
      this.#servers = servers;
      this.#error = undefined;
      log.info('servers-file.read', { servers: servers!.length });
      changed();
    } catch (error) {
      if (!(error instanceof ServersFileError)) {
        log.error('servers-file.failed', { error });
        return;
      }
      if (this.#error === error.message) return;
      this.#error = error.message;
      log.warn('servers-file.not-used', { reason: error.message });
    }
  }
}
