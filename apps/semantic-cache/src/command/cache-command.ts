import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, readSettings, setting, withDotEnv } from '@portico/settings';

const HELP = `What operators do to the response cache, through a front door that runs.

  npm run cache -- erase --tenant T [--tool X]   deletes the tenant's answers, of one tool or all, and says how many
  npm run cache -- restore --tool X              gives a tool back its semantic lane, which shadow checks had taken

  --tenant      whose answers
  --tool        the tool, such as wiki.search
  --admin-url   where operators are answered; http://ADMIN_HOST:ADMIN_PORT unless given
  --help        this text

The admin token is read from ADMIN_TOKEN_FILE, else from admin-token in PORTICO_HOME.
`;

const ANSWER_MS = 40_000;
const EVERY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

export interface Surroundings {
  readonly env: Environment;
  /** Where `.env` may be. */
  readonly folder: string;
  out(text: string): void;
  err(text: string): void;
}

/** `npm run cache`: the exit status. What was done goes to `out`, in a sentence. */
export async function cacheCommand(args: readonly string[], { env, folder, out, err }: Surroundings): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    const [command, ...rest] = positionals;
    const { tenant, tool } = values;
    const door = doorOf(withDotEnv(env, folder), values['admin-url']);
    if (command === 'erase' && rest.length === 0) {
      if (!tenant) throw new Error('erase takes --tenant T, and --tool X for one tool alone.');
      const { erased } = await ask(door, '/api/cache/erase', { tenant, ...(tool !== undefined && { tool }) });
      out(`${String(erased)} ${erased === 1 ? 'answer is' : 'answers are'} erased.\n`);
      return 0;
    }
    if (command === 'restore' && rest.length === 0) {
      if (!tool || tenant !== undefined) throw new Error('restore takes --tool X alone.');
      const { restored } = await ask(door, '/api/cache/restore', { tool });
      out(restored === true ? `${tool} has its semantic lane again.\n` : `${tool} had its semantic lane all along.\n`);
      return 0;
    }
    throw new Error('It takes erase or restore. See: npm run cache -- --help');
  } catch (error) {
    err(`${(error as Error).message}\n`);
    return 1;
  }
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      tenant: { type: 'string' },
      tool: { type: 'string' },
      'admin-url': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });

interface Door {
  readonly url: string;
  readonly tokenFile: string;
}

/** By the front door's own settings. */
const doorOf = (env: Environment, given: string | undefined): Door => {
  const table = {
    ADMIN_HOST: setting.text({ default: '127.0.0.1', meaning: 'where operators are answered' }),
    ADMIN_PORT: setting.port({ default: 8081, meaning: 'their port' }),
    PORTICO_HOME: setting.path({ default: '.portico', meaning: 'folder of everything written' }),
    ADMIN_TOKEN_FILE: setting.path({ meaning: 'what /api asks for as a bearer token' }),
  };
  const read = readSettings(table, env);
  const host = EVERY_ADDRESS.get(read.ADMIN_HOST) ?? read.ADMIN_HOST;
  return {
    url: given ?? `http://${host.includes(':') ? `[${host}]` : host}:${read.ADMIN_PORT}`,
    tokenFile: read.ADMIN_TOKEN_FILE ?? resolve(read.PORTICO_HOME, 'admin-token'),
  };
};

const ask = async (door: Door, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const headers = { Authorization: `Bearer ${tokenOf(door.tokenFile)}`, 'Content-Type': 'application/json' };
  let response: Response;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    response = await fetch(new URL(path, door.url), { method: 'POST', headers, body: JSON.stringify(body), signal });
  } catch (cause) {
    throw new Error(`No front door answers at ${door.url}: start one, or say where it is by --admin-url.`, { cause });
  }
  const said = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok && said['ok'] === true) return said;
  const { message } = (said['error'] ?? {}) as { message?: string };
  throw new Error(message ?? `The front door answered with status ${response.status}.`);
};

const tokenOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`The admin token can not be read from ${file}: a front door makes it when it first starts.`, {
      cause,
    });
  }
};
