import { createHash } from 'node:crypto';
import { readFile, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkNames, documentText, inOrder } from './document-text.js';
import type { Documents, Json } from './documents.js';
import { StorageError } from './storage-error.js';
import type { StorageLog } from './storage-log.js';
import { Turns } from './turns.js';
import { isAbsent, removeAbandonedDrafts, removeWhole, writeWhole } from './whole-file.js';

interface Kept {
  readonly id: string;
  readonly value: Json;
}

const READ_AT_ONCE = 16;

/** Documents as files: `<home>/documents/<collection>/<id>.json`, each `{ "id": …, "value": … }`. */
export class DocumentFiles implements Documents {
  private readonly turns = new Turns();
  private readonly tidied = new Set<string>();
  private readonly root: string;
  private closed = false;

  constructor(
    home: string,
    private readonly log: StorageLog,
  ) {
    this.root = join(home, 'documents');
  }

  async get(collection: string, id: string): Promise<Json | undefined> {
    this.check(collection, id);
    return (await this.read(this.pathOf(collection, id)))?.value;
  }

  async put(collection: string, id: string, value: Json): Promise<void> {
    this.check(collection, id);
    const text = `{"id":${JSON.stringify(id)},"value":${documentText(value)}}\n`;
    const path = this.pathOf(collection, id);
    await this.turns.take(path, () => this.attempt('kept', writeWhole(path, text)));
    await this.tidy(this.folderOf(collection));
  }

  async delete(collection: string, id: string): Promise<boolean> {
    this.check(collection, id);
    const path = this.pathOf(collection, id);
    return this.turns.take(path, () => this.attempt('deleted', removeWhole(path)));
  }

  async list(collection: string): Promise<readonly Kept[]> {
    this.check(collection);
    const folder = this.folderOf(collection);
    const names = await this.attempt('listed', readdir(folder).catch(nothingIfAbsent<string[]>([])));
    const paths = names.filter((name) => /^[^.].*\.json$/.test(name)).map((name) => join(folder, name));
    const found: Kept[] = [];
    const readOn = async (): Promise<void> => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const kept = await this.read(path);
        if (kept) found.push(kept);
      }
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, readOn));
    return inOrder(found);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.turns.idle();
  }

  private async read(path: string): Promise<Kept | undefined> {
    const kept = await this.load(path);
    if (kept !== 'corrupt') return kept;
    return this.turns.take(path, () => this.setAside(path));
  }

  private async load(path: string): Promise<Kept | 'corrupt' | undefined> {
    const text = await this.attempt('read', readFile(path, 'utf8').catch(nothingIfAbsent<undefined>(undefined)));
    if (text === undefined) return undefined;
    try {
      const { id, value } = JSON.parse(text) as Partial<Kept>;
      if (typeof id === 'string' && value !== undefined && basename(path) === `${fileName(id)}.json`)
        return { id, value };
    } catch {
      // Not JSON, or null: told below.
    }
    return 'corrupt';
  }

  /** Moves a file that is no document out of the way, unless a good one has taken its place meanwhile. */
  private async setAside(path: string): Promise<Kept | undefined> {
    const aside = `${path}.corrupt`;
    const now = await this.load(path);
    if (now !== 'corrupt') return now;
    try {
      await rename(path, aside);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unusable('read', error);
    }
    this.log.error('document.set-aside', { file: basename(aside) });
    return undefined;
  }

  /** Once for each folder that is written to, and after the write, so that nobody waits for it twice. */
  private async tidy(folder: string): Promise<void> {
    if (this.tidied.has(folder)) return;
    this.tidied.add(folder);
    await removeAbandonedDrafts(folder);
  }

  private async attempt<T>(done: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw unusable(done, error);
    }
  }

  private check(...names: readonly string[]): void {
    if (this.closed) throw new StorageError('closed', 'The documents are closed.');
    checkNames(...names);
  }

  private folderOf(collection: string): string {
    return join(this.root, fileName(collection));
  }

  private pathOf(collection: string, id: string): string {
    return join(this.folderOf(collection), `${fileName(id)}.json`);
  }
}

/**
 * A name for every text that no file system takes for another: lower case, digits, `-` and `_` stand for themselves, each
 * other byte is `%` and two digits. A long one keeps its beginning and ends in its hash.
 */
const fileName = (text: string): string => {
  const name = Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
  if (name.length <= 120) return name;
  return `${name.slice(0, 60)}~${createHash('sha256').update(text).digest('hex')}`;
};

const nothingIfAbsent =
  <T>(nothing: T) =>
  (error: unknown): T => {
    if (isAbsent(error)) return nothing;
    throw error;
  };

const unusable = (done: string, error: unknown): StorageError => {
  const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const code = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(reason) ? 'full' : 'unavailable';
  return new StorageError(code, `A document under PORTICO_HOME could not be ${done} (${reason}).`);
};
