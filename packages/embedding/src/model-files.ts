import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The model that ships with the product. */
export const SHIPPED_MODEL = fileURLToPath(new URL('../model/', import.meta.url));

const SUMS = 'SHA256SUMS';
const NEEDED = ['model.onnx', 'tokenizer.json', 'tokenizer_config.json'] as const;
type NeededFile = (typeof NEEDED)[number];
/** How vectors are made of the model's output: part of the fingerprint, because it is part of what they mean. */
const POOLING = 'mean-l2-256';

export interface ModelFiles {
  readonly fingerprint: string;
  readonly model: Uint8Array;
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
}

/** Reads a model, and takes no file that is not what SHA256SUMS beside it says. */
export async function readModelFiles(dir: string): Promise<ModelFiles> {
  const sums = await readSums(dir);
  const [model, tokenizer, config] = await Promise.all(NEEDED.map((name) => readChecked(dir, name, sums)));
  return {
    fingerprint: fingerprintOf(sums),
    model: model!,
    tokenizer: parse('tokenizer.json', tokenizer!),
    tokenizerConfig: parse('tokenizer_config.json', config!),
  };
}

/** The fingerprint of the vectors that a model will give, without loading it. */
export async function readFingerprint(dir: string = SHIPPED_MODEL): Promise<string> {
  return fingerprintOf(await readSums(dir));
}

/** Other weights, another quantisation of them, another tokenizer: each gives other vectors, and another fingerprint. */
const fingerprintOf = (sums: ReadonlyMap<NeededFile, string>): string =>
  createHash('sha256')
    .update([POOLING, ...NEEDED.map((name) => sums.get(name))].join('\n'))
    .digest('hex')
    .slice(0, 32);

async function readSums(dir: string): Promise<ReadonlyMap<NeededFile, string>> {
  const text = (await read(dir, SUMS)).toString('utf8');
  const sums = new Map(text.split('\n').map((line) => [line.slice(64).replace(/^ [ *]/, ''), line.slice(0, 64)]));
  return new Map(
    NEEDED.map((name) => {
      const sum = sums.get(name)?.toLowerCase();
      if (!sum || !/^[0-9a-f]{64}$/.test(sum))
        throw new Error(`The embedding model's ${SUMS} has no line for ${name}.`);
      return [name, sum];
    }),
  );
}

async function readChecked(dir: string, name: NeededFile, sums: ReadonlyMap<NeededFile, string>): Promise<Buffer> {
  const bytes = await read(dir, name);
  if (createHash('sha256').update(bytes).digest('hex') === sums.get(name)) return bytes;
  throw new Error(`The embedding model's ${name} is not what ${SUMS} says: put the model's folder back as it was.`);
}

async function read(dir: string, name: string): Promise<Buffer> {
  try {
    return await readFile(`${dir}/${name}`);
  } catch (cause) {
    throw new Error(`The embedding model's ${name} cannot be read: EMBEDDING_MODEL_DIR names the model's folder.`, {
      cause,
    });
  }
}

function parse(name: string, bytes: Buffer): object {
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  if (typeof value === 'object' && value !== null) return value;
  throw new Error(`The embedding model's ${name} is not a JSON object.`);
}
