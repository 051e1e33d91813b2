import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasOnlyReferences, resolveReferences } from './references.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-secrets-'));
  await writeFile(join(folder, 'token'), 'from-file\n');
});
afterAll(() => rm(folder, { recursive: true }));

describe('references', () => {
  it('are replaced by what they name', async () => {
    const sources = { environment: { A: 'one', EMPTY: '' }, secretsDir: folder };
    expect(await resolveReferences('Bearer ${env:A}${env:EMPTY}-${file:token}.', sources)).toBe(
      'Bearer one-from-file.',
    );
    expect(await resolveReferences('plain $A {env:A}', sources)).toBe('plain $A {env:A}');
  });

  it('are not looked for in what they name', async () => {
    const sources = { environment: { A: '${env:B}', B: 'never' }, secretsDir: undefined };
    expect(await resolveReferences('${env:A}', sources)).toBe('${env:B}');
  });

  it.each(['${env:NONE}', '${file:none}', '${file:../token}'])('%s leads nowhere', async (text) => {
    await expect(resolveReferences(text, { environment: {}, secretsDir: folder })).rejects.toThrow(
      `${text} is not ${text.startsWith('${env') ? 'set' : 'there'}`,
    );
  });

  it('to files lead nowhere without a folder of secrets', async () => {
    const sources = { environment: {}, secretsDir: undefined };
    await expect(resolveReferences('${file:token}', sources)).rejects.toThrow('${file:token} is not there');
  });

  it.each([
    ['plain', true],
    ['${env:A}${file:a.b-c_d}', true],
    ['${HOME}', false],
    ['${env:}', false],
    ['${env:A', false],
    ['${file:a/b}', false],
    ['${file:.}', false],
    ['${other:A}', false],
  ])('%s: %p', (text, known) => {
    expect(hasOnlyReferences(text)).toBe(known);
  });
});
