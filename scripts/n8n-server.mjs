import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const START_MS = 180_000;
const STOP_MS = 15_000;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A real n8n on a loopback port, with an owner, in a folder that goes with it; `person` is who works in its editor. */
export async function startN8n(entry) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-n8n-'));
  const [port, broker] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  let output = '';
  // Without NODE_ENV=production its errors have stacks in them, which is what is to be kept back.
  const child = spawn(process.execPath, [entry, 'start'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      N8N_USER_FOLDER: folder,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_RUNNERS_BROKER_PORT: String(broker),
      N8N_SECURE_COOKIE: 'false',
      N8N_DISABLE_UI: 'true',
      ...Object.fromEntries(
        ['DIAGNOSTICS', 'VERSION_NOTIFICATIONS', 'TEMPLATES', 'PERSONALIZATION', 'COMMUNITY_PACKAGES'].map((name) => [
          `N8N_${name}_ENABLED`,
          'false',
        ]),
      ),
    },
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = (output + chunk).slice(-8_000)));
  const close = async () => {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(killing);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await ready(url, child);
    return { url, folder, ...(await person(url)), close };
  } catch (error) {
    await close();
    throw new Error(`n8n did not start: ${error.message}\n${output}`, { cause: error });
  }
}

async function ready(url, child) {
  const until = Date.now() + START_MS;
  while (Date.now() < until && child.exitCode === null) {
    const answer = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
    if (answer?.ok) return;
    await pause(250);
  }
  throw new Error('it is not ready');
}

/** An owner by the editor's own way, and a key of the public API that may do everything, as every key may. */
async function person(url) {
  const headers = { 'content-type': 'application/json', 'browser-id': 'e2e' };
  const rest = async (method, path, body) => {
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    // It is ready a little before it takes everything.
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${url}${path}`, sent);
      const said = await answer.text();
      if (answer.ok) return { answer, value: JSON.parse(said || 'null') };
      if (tries === 20 || answer.status < 404)
        throw new Error(`${method} ${path}: ${answer.status} ${said.slice(0, 300)}`);
      if (answer.status !== 404 && answer.status < 500)
        throw new Error(`${method} ${path}: ${answer.status} ${said.slice(0, 300)}`);
      await pause(500);
    }
  };
  const { answer } = await rest('POST', '/rest/owner/setup', {
    email: 'owner@example.com',
    firstName: 'Olive',
    lastName: 'Owner',
    password: 'Password-0001',
  });
  headers.cookie = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const scopes = ['workflow:create', 'workflow:read', 'workflow:list', 'workflow:activate', 'execution:read'];
  const made = await rest('POST', '/rest/api-keys', { label: 'e2e', expiresAt: null, scopes });
  const key = made.value.data.rawApiKey;
  headers['x-n8n-api-key'] = key;
  return {
    key,
    api: async (method, path, body) => (await rest(method, `/api/v1${path}`, body)).value,
    editor: async (method, path, body) => (await rest(method, `/rest${path}`, body)).value.data,
  };
}
