import { describeIfAvailable, startPostgresServer } from '@portico/testkit';
import { describeAnswerStore } from './describe-answer-store.js';

describeIfAvailable('pgvector', 'PostgreSQL', () => {
  describeAnswerStore('PostgreSQL with pgvector', async () => {
    const server = await startPostgresServer({ vectors: true });
    return { url: server.url, close: () => server.stop() };
  });
});

describeAnswerStore('PGlite', async () => ({ url: 'pglite:memory:', close: async () => {} }));
