import { createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { REVISION } from '../message.mjs';
import { message, openPortico, tinyServer } from './room.mjs';

// Clients that ask for what takes long and leave: at once, while it is passed on, or while its server works on it.

const AT_ONCE = 32;
const STAYED_MS = [0, 5, 20, 60, 200];
const ENDED_WITHIN_MS = 15_000;
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'slow', version: '1' } };
const CACHEABLE = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public', _meta: META };

/** Answers everything but `tools/call`, and counts the calls whose client has not left. */
const openSlow = async () => {
  const calls = { seen: 0, open: 0 };
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => (body += chunk));
    incoming.on('end', () => {
      const { id, method } = JSON.parse(body);
      const answer = (/** @type {object} */ result) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, ...CACHEABLE } }));
      };
      if (method === 'server/discover') answer({ supportedVersions: [REVISION], capabilities: { tools: {} } });
      else if (method === 'tools/list') answer({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] });
      else {
        calls.seen++;
        calls.open++;
        response.once('close', () => calls.open--);
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${port}/mcp`, calls, close };
};

export const abandoned = {
  title: 'abandoned requests at the front door',
  async open() {
    const slow = await openSlow();
    const portico = await openPortico({ slow: { url: slow.url, allowPrivate: true }, tiny: tinyServer });
    const url = `${portico.url}/mcp`;
    /** Until both are listed: a call to a source never yet asked has it asked first. */
    const known = async () => {
      for (const begun = performance.now(); performance.now() - begun < ENDED_WITHIN_MS; await delay(50)) {
        const text = await (await fetch(url, message('tools/list'))).text();
        if (text.includes('"slow.wait"') && text.includes('"tiny.wait"')) return;
      }
      throw new Error('the servers were not listed in time');
    };
    const abandon = async (/** @type {string} */ name, /** @type {number} */ afterMs) => {
      const { body, ...options } = message('tools/call', { name, arguments: {} });
      const asked = request(url, { ...options, agent: false });
      const gone = new Promise((resolve) => asked.once('close', resolve));
      asked.on('error', () => {});
      asked.once('response', (response) => response.resume());
      asked.end(body);
      await delay(afterMs);
      asked.destroy();
      await gone;
    };
    return {
      /** @param {number} count */
      async run(count) {
        await known();
        let left = count;
        const abandoning = async () => {
          while (left-- > 0)
            await abandon(left % 2 === 0 ? 'slow.wait' : 'tiny.wait', STAYED_MS[left % STAYED_MS.length]);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, abandoning));
        for (const begun = performance.now(); slow.calls.open > 0; await delay(50))
          if (performance.now() - begun > ENDED_WITHIN_MS)
            throw new Error(`${slow.calls.open} of ${slow.calls.seen} calls are still open at their server`);
      },
      note: () => `${slow.calls.seen} reached the server over HTTP`,
      async close() {
        await portico.close();
        await slow.close();
      },
    };
  },
};
