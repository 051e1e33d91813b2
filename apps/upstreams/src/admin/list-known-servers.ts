import type { KnownServer, ReplyOf, listKnownServers } from '@portico/contracts';
import { KNOWN_SERVERS } from '../known-servers.js';
import { isProgram } from '../programs.js';
import { normalisedName } from '../server-name.js';
import type { AdminParts } from './admin-parts.js';

/** The servers that the product knows, each with whether it is configured, and whether what starts it is here. */
export async function listKnown({ configuration, config }: AdminParts): Promise<ReplyOf<typeof listKnownServers>> {
  const { servers, refused } = configuration;
  const taken = new Set([...servers.map(({ entry }) => entry.name), ...refused.map(({ name }) => name)]);
  const here = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('{workspace}', JSON.stringify(config.workspace).slice(1, -1)));
  const looking = { path: config.environment['PATH'], cwd: config.workspace };
  const listed = KNOWN_SERVERS.map(async ({ entry, ...known }): Promise<KnownServer> => {
    const command = 'command' in entry ? entry.command : undefined;
    const found = command !== undefined && (await isProgram(command, looking));
    const launcher = command === undefined ? 'none' : found ? 'present' : 'missing';
    return {
      ...known,
      needs: [...(known.needs ?? [])],
      entry: here(entry) as Record<string, unknown>,
      configured: taken.has(normalisedName(known.name)),
      launcher,
    };
  });
  return { servers: await Promise.all(listed) };
}
