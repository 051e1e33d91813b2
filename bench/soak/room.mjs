import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPortico } from '@portico/local';
import { createLog } from '@portico/observe';
import { REVISION } from '../message.mjs';

/** Portico in this process, so that what it holds can be counted. */

const scratch = mkdtempSync(join(tmpdir(), 'portico-soak-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Stands in the command line of every server of this run. */
export const MARK = `soak-${process.pid}`;
export const tinyServer = {
  command: 'sh',
  args: [fileURLToPath(new URL('../servers/tiny-stdio.sh', import.meta.url)), MARK],
};

/** Faults are what a soak causes, and warnings of them: only what should not happen is shown. */
export const log = createLog({ name: 'soak', level: 'error', format: 'json' });

export const emptyHome = () => mkdtemp(join(scratch, 'home-'));

/**
 * Everything in one process, on the bus in process.
 * @param {Record<string, object>} mcpServers @param {Record<string, string>} [more] settings
 */
export const openPortico = async (mcpServers, more = {}) => {
  const home = await emptyHome();
  const file = join(home, 'mcp.json');
  await writeFile(file, JSON.stringify({ mcpServers }));
  const env = {
    ...more,
    MCP_SERVERS_FILE: file,
    PORTICO_HOME: home,
    WORKSPACE: join(home, 'workspace'),
    PATH: process.env.PATH,
  };
  return startPortico({ ...env, HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' }, log);
};

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What a modern client sends. @param {string} method @param {{ name?: string, arguments?: object }} [params] */
export const message = (method, params = {}) => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
});
