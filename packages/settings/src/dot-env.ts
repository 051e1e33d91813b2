import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from './read-settings.js';
import { SettingError } from './setting-error.js';

/** The environment, completed from the `.env` file of a folder when there is one. What the environment says wins. */
export function withDotEnv(env: Environment, folder: string): Environment {
  const file = join(folder, '.env');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return env;
    throw new SettingError('.env', `The file .env cannot be read (${code ?? 'unreadable'}).`);
  }
  return { ...parseEnv(text), ...env };
}
