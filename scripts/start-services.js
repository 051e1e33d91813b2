import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { withDotEnv } from '@portico/settings';
import { configuredServices } from './configured-services.js';
import { ServiceProcess } from './service-process.js';

/**
 * Runs every configured service as a process of its own, on the bus and the stores that the settings name. A signal stops
 * them in order, the front door first; when one ends with an error the others are stopped, and the status is 1.
 * @typedef {import('./configured-services.js').Place} Place
 * @typedef {import('./configured-services.js').Service} Service
 */

const root = join(import.meta.dirname, '..');
const HELP = `npm run start:services

Runs every configured service as a process of its own. BUS_URL, DATABASE_URL and REDIS_URL name servers that they share.
OPS_PORT is where the first service answers /readyz, and the next ones follow it; without it free ports are picked.
npm start -- --help has all settings.
`;

const [word] = process.argv.slice(2);
if (word === '--help' || word === '-h') process.stdout.write(HELP);
else if (word !== undefined) {
  process.stderr.write(`${JSON.stringify(word.slice(0, 100))} is not known here: --help says what there is.\n`);
  process.exitCode = 1;
} else {
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function run() {
  // Whoever read our output may have gone; that is no reason to leave the services alone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const services = await configuredServices(root, withDotEnv(process.env, process.cwd()));
  const ports = await opsPorts(services);
  for (const [index, service] of services.entries())
    process.stderr.write(`${service.name.padEnd(16)} ${addresses(service, ports[index])}\n`);
  const running = services.map(
    ({ name, main }, index) => new ServiceProcess(name, main, { ...process.env, ...portOf(ports[index]) }),
  );

  let signals = 0;
  let failed = false;
  /** @type {Promise<void> | undefined} */
  let stopped;
  const stop = async () => {
    const [door, ...others] = running.toReversed();
    const how = [await door?.stop(), ...(await Promise.all(others.map((service) => service.stop())))];
    failed ||= how.some((status) => status !== 0);
  };
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
    process.on(signal, () => {
      signals += 1;
      if (signals === 1) return (stopped ??= stop());
      for (const { child } of running) child.kill('SIGKILL');
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  await Promise.all(
    running.map(async ({ name, ended }) => {
      const how = await ended;
      if (stopped) return;
      const others = how === 0 ? '' : ' The other services are stopped.';
      process.stderr.write(`${name} has ended (${typeof how === 'number' ? `status ${how}` : how}).${others}\n`);
      if (how === 0) return;
      failed = true;
      stopped = stop();
    }),
  );
  await stopped;
  process.exit(failed ? 1 : 0);
}

/**
 * A port for each service whose settings ask for one.
 * @param {readonly Service[]} services
 * @returns {Promise<(number | undefined)[]>}
 */
async function opsPorts(services) {
  const asking = services.filter(({ config }) => config.ops);
  const first = asking[0]?.config.ops?.port ?? 0;
  const ports = first > 0 ? asking.map((_, index) => first + index) : await freePorts(asking.map(hostOf));
  return services.map((service) => ports[asking.indexOf(service)]);
}

/** @param {Service} service */
function hostOf({ config }) {
  return config.ops?.host ?? '127.0.0.1';
}

/**
 * All are held until the last is found, so that no two are the same.
 * @param {readonly string[]} hosts
 */
async function freePorts(hosts) {
  const servers = hosts.map((host) => createServer().listen(0, host));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** @param {number | undefined} port */
function portOf(port) {
  return port === undefined ? {} : { OPS_PORT: String(port) };
}

/**
 * @param {Service} service
 * @param {number | undefined} opsPort
 */
function addresses({ config }, opsPort) {
  if (!config.admin) return at({ host: config.ops?.host ?? '', port: opsPort }, '/readyz');
  return `${at(config, '/mcp')}, ${at(config.admin, '/readyz')}`;
}

/**
 * @param {Place} place
 * @param {string} path
 */
function at({ host, port }, path) {
  if (!port) return `${path} on a port that its log tells`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
