import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { said, start } from '../children.mjs';
import { cpuMicros } from '../cpu-time.mjs';
import { REVISION } from '../message.mjs';
import { scratch } from '../stage.mjs';

/** Portico as `npm start` runs it, with a servers file of the benchmark's. */

const MAIN = fileURLToPath(new URL('../../apps/local/dist/main.js', import.meta.url));
const LOOPBACK = ['HOST', 'ADMIN_HOST'].map((name) => [name, '127.0.0.1']);
const ANY_PORT = ['PORT', 'ADMIN_PORT'].map((name) => [name, '0']);
const MEASURED_CPU = 0;

/**
 * Resolves as soon as it says that it listens: how long that took since its process was begun, and how much CPU.
 * @param {Record<string, object>} mcpServers @param {Record<string, string>} [more] settings
 */
export const startPortico = async (mcpServers, more = {}) => {
  const home = await mkdtemp(join(scratch, 'portico-'));
  const file = join(home, 'mcp.json');
  await writeFile(file, JSON.stringify({ mcpServers }));
  const env = {
    MCP_SERVERS_FILE: file,
    PORTICO_HOME: home,
    WORKSPACE: join(home, 'workspace'),
    LOG_LEVEL: 'error',
    ...more,
  };
  const begun = performance.now();
  const child = start(MEASURED_CPU, [process.execPath, MAIN], {
    env: { ...Object.fromEntries([...LOOPBACK, ...ANY_PORT]), ...env },
    cwd: home,
  });
  const [, url] = await said(child, /open at (http:\S+)/);
  return {
    child,
    url,
    begun,
    listeningMs: performance.now() - begun,
    listeningCpuMs: cpuMicros([child.pid ?? 0]) / 1_000,
  };
};

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const LIST_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': REVISION,
  'mcp-method': 'tools/list',
};
const LIST_BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } });

/** One `tools/list`, as its text. Throws when it is no success. @param {string} url @param {import('undici').Dispatcher} via */
export const listText = async (url, via) => {
  const { origin, pathname: path } = new URL(url);
  const { statusCode, body } = await via.request({
    origin,
    path,
    method: 'POST',
    headers: LIST_HEADERS,
    body: LIST_BODY,
  });
  const text = await body.text();
  if (statusCode !== 200 || !text.includes('"result":'))
    throw new Error(`tools/list: ${statusCode} ${text.slice(0, 200)}`);
  return text;
};
