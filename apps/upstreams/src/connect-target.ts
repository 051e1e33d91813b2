import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault } from '@portico/contracts';
import { Reason } from '@portico/mcp-session';
import type { Authorization, ServerTarget, StdioTarget } from '@portico/mcp-session';
import { isPrivateHost, publicLookup } from './address-guard.js';
import { isProgram } from './programs.js';
import { resolveReferences } from './references.js';
import type { ReferenceSources } from './references.js';
import type { ServerEntry } from './server-entry.js';
import { openWorkspace } from './workspace.js';

/** What an entry's texts stand for on this host. All paths are absolute. */
export interface Surroundings extends ReferenceSources {
  readonly home: string;
  readonly workspace: string;
  /** From here a relative `cwd` counts: the folder of the servers file. */
  readonly folder: string;
}

/** All that a server process inherits; the rest of our environment is none of its business. */
const INHERITED = ['PATH', 'HOME', 'LANG'] as const;

/**
 * How an entry is connected to, made anew for each connection: only then are its references read and its folders made.
 * Throws BACKEND_UNAVAILABLE (`executed: no`) when a reference leads nowhere or its program is not there, so that nothing is
 * started or asked for in vain; which one it is is for its operators alone.
 */
export async function connectTarget(
  entry: ServerEntry,
  surroundings: Surroundings,
  authorization?: Authorization,
): Promise<ServerTarget> {
  const { transport, name } = entry;
  const resolved = async (texts: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const pairs = Object.entries(texts).map(async ([key, text]) => [key, await resolveReferences(text, surroundings)]);
    return Object.fromEntries((await Promise.all(pairs)) as [string, string][]);
  };
  try {
    if (transport.kind === 'http') {
      // An address that is no name asks no name service: it is looked at here.
      if (!transport.allowPrivate && isPrivateHost(transport.url)) throw new Reason('its address is private');
      return {
        transport: 'http',
        url: transport.url,
        headers: await resolved(transport.headers),
        ...(!transport.allowPrivate && { lookup: publicLookup }),
        ...(authorization !== undefined && { authorization }),
      };
    }
    const here = (text: string): string => text.replaceAll('{workspace}', surroundings.workspace);
    const [env] = await Promise.all([
      resolved(Object.fromEntries(Object.entries(transport.env).map(([key, text]) => [key, here(text)]))),
      openWorkspace(surroundings.workspace),
      mkdir(surroundings.home, { recursive: true }),
    ]);
    const inherited = INHERITED.flatMap((key) => {
      const value = surroundings.environment[key];
      return value === undefined ? [] : [[key, value] as const];
    });
    const target = {
      transport: 'stdio' as const,
      command: transport.command,
      args: transport.args.map(here),
      env: { ...Object.fromEntries(inherited), ...env },
      cwd: resolve(surroundings.folder, here(transport.cwd ?? '.')),
    };
    await checkStartable(target);
    return target;
  } catch (error) {
    throw new Fault('BACKEND_UNAVAILABLE', `The server "${name}" is not completely configured.`, {
      executed: 'no',
      cause: error,
    });
  }
}

async function checkStartable({ command, env, cwd }: StdioTarget & { readonly cwd: string }): Promise<void> {
  if (!(await isFolder(cwd))) throw new Reason('no such folder to run in');
  if (!(await isProgram(command, { path: env['PATH'], cwd }))) throw new Reason('no such program');
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
