import { readFileSync, statSync } from 'node:fs';

/** An address, or with `file:<path>` the file that it is in: read anew when it has changed, so that what it holds can be rotated. */
export class AddressFile {
  private readonly path: string | undefined;
  private known: { text: string; stamp: string } | undefined;

  constructor(private readonly given: string) {
    this.path = given.startsWith('file:') ? given.slice('file:'.length) : undefined;
  }

  get inFile(): boolean {
    return this.path !== undefined;
  }

  /** The address now; while the file can not be read, or is empty, the last one. Throws when there never was one. */
  read(): string {
    if (this.path === undefined) return this.given;
    try {
      const { mtimeMs, size, ino } = statSync(this.path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (this.known?.stamp !== stamp) {
        const text = readFileSync(this.path, 'utf8').trim();
        if (text !== '') this.known = { text, stamp };
      }
    } catch (error) {
      if (this.known === undefined) throw error;
    }
    return this.known?.text ?? '';
  }
}
