import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sourceChanged } from '@portico/contracts';
import { Agent, request } from 'undici';
import { REVISION } from '../message.mjs';
import { message, openPortico, tinyServer } from './room.mjs';

// Two upstreams that come and go every 100 ms while they are called: one over HTTP, whose port opens and closes, and one
// over stdio, whose process ends. Calls may fail; the tools may not vanish, and both must answer once it is over.

const PERIOD_MS = 100;
const CALLERS = 4;
const RECOVERED_WITHIN_MS = 40_000;
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'flap', version: '1' } };
const CACHEABLE = { resultType: 'complete', ttlMs: 1_000, cacheScope: 'public', _meta: META };
const RESULTS = {
  'server/discover': { supportedVersions: [REVISION], capabilities: { tools: {} }, ...CACHEABLE },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }], ...CACHEABLE },
  'tools/call': { content: [{ type: 'text', text: 'here' }], resultType: 'complete', _meta: META },
};

const openFlap = async () => {
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => (body += chunk));
    incoming.on('end', () => {
      const { id, method } = JSON.parse(body);
      const result = /** @type {any} */ (RESULTS)[method];
      const error = { code: -32601, message: 'Method not found' };
      response.writeHead(result ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    });
  });
  const listen = (/** @type {number} */ port) =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server.off('error', reject)));
    });
  await listen(0);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const down = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${port}/mcp`, up: () => listen(port), down };
};

export const flapping = {
  title: 'milliseconds of two upstreams that flap every 100 ms',
  async open() {
    const flap = await openFlap();
    const portico = await openPortico({ flap: { url: flap.url, allowPrivate: true }, die: tinyServer });
    const url = `${portico.url}/mcp`;
    const agent = new Agent();
    /** @param {Parameters<typeof message>} what */
    const ask = async (...what) => {
      const { body } = await request(url, { .../** @type {any} */ (message(...what)), dispatcher: agent });
      return /** @type {any} */ (await body.json());
    };
    const call = async (/** @type {string} */ name) => {
      const { result } = await ask('tools/call', { name, arguments: {} });
      return result !== undefined && result.isError !== true;
    };
    const tools = async () =>
      (await ask('tools/list')).result.tools
        .map((/** @type {{ name: string }} */ { name }) => name)
        .filter((/** @type {string} */ name) => /^(flap|die)\./.test(name)).length;
    /** @param {() => Promise<boolean>} holds @param {string} what */
    const eventually = async (holds, what) => {
      for (const begun = performance.now(); performance.now() - begun < RECOVERED_WITHIN_MS; await delay(100))
        if (await holds()) return;
      throw new Error(`${what} did not come back`);
    };
    const answers = { right: 0, failed: 0 };
    return {
      /** @param {number} milliseconds */
      async run(milliseconds) {
        await eventually(async () => (await tools()) === 4, 'the list');
        const end = performance.now() + milliseconds;
        const calling = async (/** @type {string} */ name) => {
          for (; performance.now() < end; await delay(5)) answers[(await call(name)) ? 'right' : 'failed']++;
        };
        const alternating = async () => {
          while (performance.now() < end) {
            await delay(PERIOD_MS);
            await flap.down();
            void call('die.die').catch(() => undefined);
            for (const source of /** @type {const} */ (['upstream.flap', 'upstream.die']))
              portico.bus.tell(sourceChanged, { source });
            await delay(PERIOD_MS);
            await flap.up();
          }
        };
        const listing = async () => {
          for (; performance.now() < end; await delay(50)) {
            const found = await tools();
            if (found !== 4) throw new Error(`${found} of 4 tools are listed while upstreams flap`);
          }
        };
        const callers = ['flap.echo', 'die.echo'].flatMap((name) =>
          Array.from({ length: CALLERS }, () => calling(name)),
        );
        await Promise.all([...callers, alternating(), listing()]);
        await eventually(() => call('flap.echo'), 'the server over HTTP');
        await eventually(() => call('die.echo'), 'the server over stdio');
      },
      note: () => `${answers.right} calls answered, ${answers.failed} failed`,
      async close() {
        await agent.close();
        await portico.close();
        await flap.down();
      },
    };
  },
};
