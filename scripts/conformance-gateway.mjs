import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '..', 'apps', 'local', 'dist', 'main.js');
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * Starts Portico as `npm start` does, with the server at `upstream` as its only one, mounted at the root. `log` hears
 * each line that it writes. Gives its address and the way to stop it.
 */
export async function startGateway(upstream, { log = () => {} } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'portico-conformance-'));
  const servers = join(home, 'servers.json');
  const entry = { url: upstream, mount: 'root', allowPrivate: true };
  await writeFile(servers, JSON.stringify({ mcpServers: { fixture: entry } }));
  const child = spawn(process.execPath, [MAIN], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      PORT: '0',
      ADMIN_PORT: '0',
      PORTICO_HOME: join(home, 'portico'),
      WORKSPACE: join(home, 'workspace'),
      MCP_SERVERS_FILE: servers,
      // The suite compares schemas and lists to the letter.
      CONTEXT_IN_SCHEMAS: 'off',
      MANIFEST: 'off',
    },
  });
  const lines = [];
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)));
  let stopping = false;
  /** Set once it has ended by itself: that is never meant to happen. */
  const died = () => (stopping ? undefined : earlyEnd);
  let earlyEnd;
  void ended.then((how) => {
    if (!stopping) earlyEnd = `Portico ended by itself (${how}):\n${lines.slice(-20).join('\n')}`;
  });
  const stop = async () => {
    stopping = true;
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
    await rm(home, { recursive: true, force: true });
  };
  try {
    return { url: await addressOf(child, lines, log), died, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The address is the first URL that ends in /mcp; `localhost` is what the suite insists on. */
const addressOf = (child, lines, log) =>
  new Promise((resolve, reject) => {
    const tooLate = setTimeout(() => fail('did not print its address in time'), START_TIMEOUT_MS);
    const fail = (what) => {
      clearTimeout(tooLate);
      reject(new Error(`Portico ${what}:\n${lines.join('\n')}`));
    };
    const hear = (line) => {
      log(line);
      lines.push(line);
      if (lines.length > 200) lines.shift();
      const found = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)\/mcp\b/.exec(line);
      if (!found) return;
      clearTimeout(tooLate);
      resolve(`http://localhost:${found[1]}/mcp`);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', hear);
    child.once('exit', (code) => fail(`ended with code ${code}`));
  });
