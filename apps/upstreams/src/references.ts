import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Reason } from '@portico/mcp-session';

const REFERENCE = /\$\{(env|file):([^}]*)\}/g;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const FILE_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/** Where references lead: the environment the service was started with, and the folder of secret files. */
export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secretsDir: string | undefined;
}

/** A text whose every `${…}` is `${env:NAME}` or `${file:NAME}` with a name that can exist. */
export function hasOnlyReferences(text: string): boolean {
  const known = text.replace(REFERENCE, (whole, kind: string, name: string) =>
    (kind === 'env' ? ENV_NAME : FILE_NAME).test(name) ? '' : whole,
  );
  return !known.includes('${');
}

/** The names that the references of a text lead to, of variables and of files. */
export const referencedNames = (text: string): string[] => [...text.matchAll(REFERENCE)].map((match) => match[2]!);

/** Whether a text has something in it that is, or means to be, a reference. */
export const hasReference = (text: string): boolean => /\$\{(env|file):/.test(text);

/**
 * The text with its references replaced by what they name, read now. Throws a Reason that names the reference when it leads
 * nowhere.
 */
export async function resolveReferences(text: string, sources: ReferenceSources): Promise<string> {
  let resolved = '';
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, kind, name] = match as unknown as [string, 'env' | 'file', string];
    const value = kind === 'env' ? sources.environment[name] : await secretOf(name, sources.secretsDir);
    if (value === undefined) throw new Reason(kind === 'env' ? `${whole} is not set` : `${whole} is not there`);
    resolved += text.slice(end, match.index) + value;
    end = match.index + whole.length;
  }
  return resolved + text.slice(end);
}

async function secretOf(name: string, folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined || !FILE_NAME.test(name)) return undefined;
  try {
    return (await readFile(join(folder, name), 'utf8')).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
