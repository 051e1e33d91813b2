import { Fault } from '@portico/contracts';
import type { SourceCatalogue } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import { exchange } from '@portico/testkit';
import type { OracleBackend } from '@portico/testkit';
import { openDoor } from './open-door.js';
import type { OpenDoor } from './open-door.js';

/**
 * Opens a front door with this source behind it, mounted at the root and already listed, so that no answer depends on
 * what has been asked before.
 */
export async function openOracleDoor(
  catalogue: SourceCatalogue,
  backend: OracleBackend,
): Promise<Pick<OpenDoor, 'url' | 'close'>> {
  const door = await openDoor({ CONTEXT_IN_SCHEMAS: 'off', MANIFEST: 'off' });
  const { revision: _, ...published } = catalogue;
  const source = await serveSource(
    door.bus,
    {
      address: 'domain.oracle',
      version: '1',
      configuration: '1',
      connectTimeoutMs: 5_000,
      catalogue: () => Promise.resolve(published),
      callTool: (request, incoming) => backend.callTool(request, (notice) => incoming.notify(notice)),
      readResource: async ({ uri }) => {
        const contents = backend.readResource(uri);
        if (!contents) throw new Fault('NOT_FOUND', 'There is no such resource.');
        return await Promise.resolve(contents);
      },
      getPrompt: async ({ name, arguments: given = {} }) => await Promise.resolve(backend.getPrompt(name, given)),
      complete: ({ argument }) => Promise.resolve(backend.complete(argument.value)),
    },
    { instance: 'test' },
  );
  const url = `${door.url}/mcp`;
  await exchange(url, {
    name: 'the first list',
    verb: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return {
    url,
    close: async () => {
      await source.close();
      await door.close();
    },
  };
}
