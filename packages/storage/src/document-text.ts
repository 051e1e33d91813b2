import type { Json } from './documents.js';
import { StorageError } from './storage-error.js';

const NAME_LENGTH = 512;
const DOCUMENT_BYTES = 32 * 1024 * 1024;
/** A half of a surrogate pair alone: no encoding of text can hold it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What is in every store's reach: throws for a collection or an id that one of them could not keep. */
export const checkNames = (...names: readonly string[]): void => {
  for (const name of names) {
    if (name === '' || name.length > NAME_LENGTH || name.includes('\0') || LONE_SURROGATE.test(name)) {
      throw new StorageError('rejected', `The name of a document takes 1 to ${NAME_LENGTH} well-formed characters.`);
    }
  }
};

/** The JSON of a document. Throws for what is no JSON value, and for one larger than 32 MiB. */
export const documentText = (value: Json): string => {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new StorageError('rejected', 'A document takes a JSON value.');
  if (Buffer.byteLength(text) > DOCUMENT_BYTES) throw new StorageError('full', 'A document holds at most 32 MiB.');
  return text;
};

/** A list of documents as every store gives it, whatever its own collation. */
export const inOrder = <T extends { readonly id: string }>(documents: T[]): T[] =>
  documents.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
