import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHIPPED_MODEL, readFingerprint, readModelFiles } from './model-files.js';

const FILES = { 'model.onnx': 'weights', 'tokenizer.json': '{"a":1}', 'tokenizer_config.json': '{}' };
const sum = (content: string): string => createHash('sha256').update(content).digest('hex');

describe('readModelFiles', () => {
  let dir: string;
  const write = async (files: Record<string, string>): Promise<void> => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
    const sums = Object.entries(files).map(([name, content]) => `${sum(content)}  ${name}\n`);
    await writeFile(join(dir, 'SHA256SUMS'), sums.join(''));
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'portico-model-'));
    await write(FILES);
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('[SC-14] reads the files that are what their sums say', async () => {
    const files = await readModelFiles(dir);
    expect(Buffer.from(files.model).toString()).toBe('weights');
    expect(files.tokenizer).toEqual({ a: 1 });
    expect(files.fingerprint).toBe(await readFingerprint(dir));
  });

  it('[SC-14] ships a model whose every file is what its sums say', async () => {
    expect((await readModelFiles(SHIPPED_MODEL)).model.length).toBeGreaterThan(2e7);
  });

  it('[SC-14] takes no file that was changed, and names it without its place', async () => {
    await writeFile(join(dir, 'model.onnx'), 'Weights');
    const error = await readModelFiles(dir).catch((caught: unknown) => caught as Error);
    expect((error as Error).message).toBe(
      "The embedding model's model.onnx is not what SHA256SUMS says: put the model's folder back as it was.",
    );
  });

  it('[SC-14] says in a sentence what is missing', async () => {
    await rm(join(dir, 'tokenizer.json'));
    await expect(readModelFiles(dir)).rejects.toThrow("The embedding model's tokenizer.json cannot be read");
    await writeFile(join(dir, 'SHA256SUMS'), `${sum('weights')}  model.onnx\n`);
    await expect(readModelFiles(dir)).rejects.toThrow(
      "The embedding model's SHA256SUMS has no line for tokenizer.json",
    );
    await rm(join(dir, 'SHA256SUMS'));
    await expect(readFingerprint(dir)).rejects.toThrow("The embedding model's SHA256SUMS cannot be read");
  });

  it('[SC-14] gives other weights, and another tokenizer, another fingerprint', async () => {
    const fingerprints = [await readFingerprint(dir)];
    for (const name of Object.keys(FILES)) {
      await write({ ...FILES, [name]: '{"b":2}' });
      fingerprints.push(await readFingerprint(dir));
    }
    await write(FILES);
    expect(await readFingerprint(dir)).toBe(fingerprints[0]);
    expect(new Set(fingerprints).size).toBe(4);
  });
});
