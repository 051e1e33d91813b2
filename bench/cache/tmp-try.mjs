import { startPostgresServer } from '../../packages/testkit/dist/postgres-server.js';
import { measureReplicas } from './replicas.mjs';
import { end } from '../children.mjs';
const server = await startPostgresServer({ vectors: true });
const many = Array.from({ length: 20 }, (_, n) => `tenant-${n}`);
try { const r = await measureReplicas(server.url, many, 6000); console.log(r.skipped, r.skippedExact, r.rows.map(x=>[x.name, x.latencies.length/x.seconds])); } finally { await end(); await server.stop(); }
