import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDocuments } from '@portico/storage';
import { describeIfAvailable, startPostgresServer } from '@portico/testkit';
import type { PostgresServer } from '@portico/testkit';
import { describeDocuments } from './describe-documents.js';

const HOME = 'a folder that is never made';

describeIfAvailable('postgres', 'documents in PostgreSQL', () => {
  describeDocuments('a table', async () => {
    const server = await startPostgresServer();
    return { open: () => openDocuments({ databaseUrl: server.url, home: HOME }), close: () => server.stop() };
  });

  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  }, 60_000);
  afterAll(() => server?.stop());

  it('is made by ten that start at once, and each of them works', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => openDocuments({ databaseUrl: server.url, home: HOME })),
    );
    await Promise.all(all.map((documents, n) => documents.put('c', `id ${n}`, n)));
    expect(await all[0]!.list('c')).toHaveLength(10);
    await Promise.all(all.map((documents) => documents.close()));
  });

  it('opens while the server is away, says so at each use, and works when it is back', async () => {
    await server.kill();
    const documents = await openDocuments({ databaseUrl: server.url, home: HOME, log: quiet });
    await expect(documents.get('c', 'id 1')).rejects.toMatchObject({ code: 'unavailable', executed: 'no' });
    await server.restart();
    expect(await documents.get('c', 'id 1')).toBe(1);
    await documents.close();
  });

  it('a server that hangs is waited for neither by who asks nor at the end', async () => {
    const documents = await openDocuments({ databaseUrl: server.url, home: HOME, log: quiet });
    await documents.put('c', 'one', 1);
    server.freeze();
    try {
      const begun = performance.now();
      await expect(documents.get('c', 'one')).rejects.toMatchObject({ code: 'timeout' });
      expect(performance.now() - begun).toBeLessThan(15_000);
      const ending = performance.now();
      const writes = Array.from({ length: 3 }, (_, n) => documents.put('c', 'one', n).catch(() => 'not written'));
      await documents.close();
      expect(performance.now() - ending).toBeLessThan(25_000);
      expect(await Promise.all(writes)).toContain('not written');
    } finally {
      server.thaw();
    }
  }, 90_000);
});

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
