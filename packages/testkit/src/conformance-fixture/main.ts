import { parseArgs } from 'node:util';
import { startConformanceFixture } from './conformance-fixture.js';

/** Runs the fixture alone: `--port 0` picks a free port. Prints its URL, ends on SIGTERM or SIGINT. */
const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const fixture = await startConformanceFixture({ port: Number(values.port) });
console.log(fixture.url);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void fixture.close());
