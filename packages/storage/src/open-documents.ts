import { DocumentFiles } from './document-files.js';
import type { Documents, DocumentsOptions } from './documents.js';
import { stderrLog } from './storage-log.js';

/** The documents of this installation. Costs nothing for files; a PostgreSQL that is away shows at the first use, not here. */
export const openDocuments = async ({ databaseUrl, home, log = stderrLog }: DocumentsOptions): Promise<Documents> => {
  if (databaseUrl.startsWith('pglite:')) return new DocumentFiles(home, log);
  const [{ openDatabase }, { DocumentTable }] = await Promise.all([
    import('./open-database.js'),
    import('./document-table.js'),
  ]);
  return new DocumentTable(await openDatabase(databaseUrl, { log, name: 'portico-documents' }));
};
