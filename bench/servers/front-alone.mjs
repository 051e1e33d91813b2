import { memoryBus } from '@portico/bus';
import { startDiscovery, readConfig as readDiscoveryConfig } from '@portico/discovery';
import { defineTool, serveDomain, toolResult } from '@portico/domain-kit';
import { readConfig, startFrontDoor } from '@portico/front-door';
import { createLog } from '@portico/observe';
import { z } from 'zod';
import { HANGING, PREFIX, TOOL } from '../message.mjs';
import { endOnSigterm } from './listening.mjs';

// The front door with the least behind it: a tool in its own process, and beside it one that hangs, which is not called by itself.

const echo = defineTool({
  name: TOOL,
  description: 'Answers with the text it is given.',
  effect: 'read',
  input: z.object({ text: z.string() }),
  handle: ({ text }) => toolResult({ content: [{ type: 'text', text }] }),
});
const waits = defineTool({
  name: HANGING.tool,
  description: 'Does not answer before its deadline.',
  effect: 'read',
  input: z.object({ text: z.string() }),
  handle: (_args, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true })),
});
const hanging = {
  name: HANGING.domain,
  description: 'Hangs.',
  version: '1.0.0',
  callTimeoutMs: 2_000,
  tools: [waits],
};
const domain = { name: PREFIX.slice(0, -1), description: 'Echoes.', version: '1.0.0', tools: [echo] };

const config = readConfig(process.env);
const log = createLog({ ...config.log, name: 'front-alone' });
const bus = memoryBus({ log });
await startDiscovery(bus, readDiscoveryConfig(process.env), log);
for (const each of [domain, hanging]) await serveDomain(bus, each, { instance: 'bench', log });
const { url } = await startFrontDoor(bus, config, log);
endOnSigterm();
console.log(`listening on ${url}/mcp`);
