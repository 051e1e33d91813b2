import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { withDotEnv } from '@portico/settings';
import { configuredServices } from './configured-services.js';
import { SupervisedService } from './supervised-service.js';

/**
 * Runs every configured service as a process of its own, on the bus and the stores that the settings name, and starts
 * each again that dies. A signal stops them in order, the front door first; when one can not start at all the others are
 * stopped, and the status is 1.
 * @typedef {import('./configured-services.js').Place} Place
 * @typedef {import('./configured-services.js').Service} Service
 */

const root = join(import.meta.dirname, '..');
const HELP = `npm run start:services

Runs every configured service as a process of its own, and starts one that dies again. BUS_URL, DATABASE_URL and REDIS_URL
name servers that they share; {service} in BUS_URL_FILE stands for each service's name. OPS_PORT is where the first service
answers /readyz, and the next ones follow it; without it free ports are picked.
npm start -- --help has all settings.
`;

/** Services that are not ready by then are named: what they wait for is in their log. */
const LATE_MS = 10_000;

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
  const places = await placesOf(services);
  for (const [index, { name }] of services.entries()) {
    const { agents, operators } = /** @type {Places} */ (places[index]);
    const urls = [...(agents ? [at(agents, '/mcp')] : []), at(operators, '/readyz')];
    process.stderr.write(`${name.padEnd(16)} ${urls.join(', ')}\n`);
  }
  const running = services.map(({ name, main, own }, index) => {
    const { operators, env } = /** @type {Places} */ (places[index]);
    return new SupervisedService(name, main, { ...process.env, ...own, ...env }, at(operators, '/readyz'));
  });

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
      for (const service of running) service.kill();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  const late = setTimeout(() => {
    const waiting = running.filter(({ ready }) => !ready).map(({ name }) => name);
    process.stderr.write(`Not ready yet: ${waiting.join(', ')}.\n`);
  }, LATE_MS);
  void Promise.all(running.map(({ settled }) => settled)).then(() => {
    clearTimeout(late);
    if (running.every(({ ready }) => ready)) process.stderr.write('All services are ready.\n');
  });
  await Promise.race(running.map(({ ended }) => ended));
  failed ||= !stopped;
  await (stopped ??= stop());
  process.exit(failed ? 1 : 0);
}

/**
 * Where each service is reached, and the settings that say so to it: a port that may be any is picked here, so that the
 * service is there again when it is started again.
 * @typedef {{ readonly agents?: Place, readonly operators: Place, readonly env: Record<string, string> }} Places
 * @param {readonly Service[]} services
 * @returns {Promise<Places[]>}
 */
async function placesOf(services) {
  const first = services.find(({ config }) => config.ops)?.config.ops?.port ?? 0;
  const wanted = services.map(({ config }, index) => ({
    agents: config.admin && { host: config.host, port: config.port ?? 0 },
    operators: config.admin ?? { host: hostOf(config), port: first > 0 ? first + index : 0 },
  }));
  const any = wanted.flatMap(({ agents, operators }) => [agents, operators]).filter((place) => place?.port === 0);
  const picked = await freePorts(any.map((place) => place?.host ?? ''));
  const fixed = (/** @type {Place} */ place) => (place.port === 0 ? { ...place, port: picked.shift() } : place);
  return wanted.map(({ agents, operators }) => {
    const here = { ...(agents && { agents: fixed(agents) }), operators: fixed(operators) };
    /** @type {Record<string, string>} */
    const env = here.agents
      ? { PORT: String(here.agents.port), ADMIN_PORT: String(here.operators.port) }
      : { OPS_PORT: String(here.operators.port) };
    return { ...here, env };
  });
}

/** @param {Service['config']} config */
function hostOf(config) {
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

/**
 * @param {Place} place
 * @param {string} path
 */
function at({ host, port }, path) {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}${path}`;
}
