import type { Embedder } from './embedder.js';
import { SHIPPED_MODEL, readModelFiles } from './model-files.js';
import { Batches } from './batches.js';
import { createTokenizer, type Tokenizer } from './tokenizer.js';
import { splitIntoPieces } from './word-pieces.js';
import { Session } from './session.js';

export interface EmbedderOptions {
  /** Default: the model that ships with the product. */
  readonly modelDir?: string;
  /** Cores that one run of the model may use. */
  readonly threads?: number;
  readonly log?: { info(event: string, fields: Record<string, unknown>): void };
}

/**
 * Loads the model in a thread of its own (about 0.5 s and 200 MB, so: on first need, once a process). Rejects with one sentence when its files are not what
 * their checksums say. `embed` rejects when too many texts wait already, and once closed.
 */
export async function openEmbedder({
  modelDir = SHIPPED_MODEL,
  threads = 1,
  log,
}: EmbedderOptions = {}): Promise<Embedder> {
  const started = performance.now();
  const files = await readModelFiles(modelDir);
  const tokenizer = await createTokenizer(files.tokenizer, files.tokenizerConfig);
  const marks = { start: markId(tokenizer, '[CLS]'), end: markId(tokenizer, '[SEP]') };
  const batches = new Batches(await Session.open(files.model, threads));
  log?.info('embedder opened', { fingerprint: files.fingerprint, ms: Math.round(performance.now() - started) });

  return {
    fingerprint: files.fingerprint,
    embed: async (texts) => {
      batches.admit(texts.length);
      return Promise.all(texts.map((text) => batches.add(splitIntoPieces(text, tokenizer, marks))));
    },
    close: () => batches.close(),
  };
}

function markId(tokenizer: Tokenizer, mark: string): number {
  const id = tokenizer.token_to_id(mark);
  if (id === undefined) throw new Error(`The embedding model's tokenizer has no ${mark}: it is not one of this kind.`);
  return id;
}
