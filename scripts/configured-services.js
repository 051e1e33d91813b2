import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SettingError, readSettings } from '@portico/settings';

/**
 * @typedef {import('@portico/settings').Environment} Environment
 * @typedef {import('@portico/settings').SettingsTable} SettingsTable
 * @typedef {{ readonly host: string, readonly port: number | undefined }} Place
 * @typedef {Place & { readonly ops?: Place, readonly admin?: Place }} Config
 * @typedef {{ readonly settings: SettingsTable, readConfig(env: Environment): Config | undefined }} ConfigFile
 * @typedef {{ readonly name: string, readonly main: string, readonly config: Config, readonly own: Record<string, string> }} Service
 */

const FRONT_DOOR = 'front-door';
/** What several processes can share, for each setting whose default only one can use. */
const SHARED = {
  BUS_URL: 'nats://host:4222',
  DATABASE_URL: 'postgres://user:password@host/database',
  REDIS_URL: 'redis://host:6379',
};
const FOR_ONE_PROCESS = /^(memory:|pglite:)/;

/**
 * The services that are configured, each as its own process would read its settings; the front door last. Throws an error
 * of one sentence when one of them can not start so.
 * @param {string} root
 * @param {Environment} env
 * @returns {Promise<Service[]>}
 */
export async function configuredServices(root, env) {
  const names = readdirSync(join(root, 'apps')).filter(
    (name) => name !== 'local' && existsSync(join(root, 'apps', name, 'dist/main.js')),
  );
  if (!names.includes(FRONT_DOOR)) throw new Error('Nothing is built here: npm run build does it.');
  const services = /** @type {Service[]} */ ([]);
  const tables = /** @type {SettingsTable[]} */ ([]);
  for (const name of [...names.filter((other) => other !== FRONT_DOOR), FRONT_DOOR]) {
    const dist = join(root, 'apps', name, 'dist');
    const { settings, readConfig } = /** @type {ConfigFile} */ (
      await import(pathToFileURL(join(dist, 'config.js')).href)
    );
    const own = ownBusFile(name, env);
    const config = readConfig({ ...env, ...own });
    if (config === undefined) continue;
    services.push({ name, main: join(dist, 'main.js'), config, own });
    tables.push(settings);
  }
  refuseWhatOneProcessHas(Object.assign({}, ...tables), { ...env, ...ownBusFile(FRONT_DOOR, env) });
  return services;
}

/**
 * `{service}` in BUS_URL_FILE stands for each service's name: a bus with a user for each takes one file of each.
 * @param {string} name
 * @param {Environment} env
 * @returns {Record<string, string>}
 */
const ownBusFile = (name, env) =>
  env['BUS_URL_FILE']?.includes('{service}') ? { BUS_URL_FILE: env['BUS_URL_FILE'].replaceAll('{service}', name) } : {};

/**
 * @param {SettingsTable} table
 * @param {Environment} env
 */
function refuseWhatOneProcessHas(table, env) {
  const used = Object.fromEntries(Object.entries(table).filter(([name]) => name in SHARED || name === 'PORTICO_HOME'));
  const values = readSettings(used, env);
  const wrong = Object.entries(SHARED).filter(([name]) => FOR_ONE_PROCESS.test(String(values[name])));
  if (wrong.length === 0) return;
  const takes = wrong.map(([name, example]) => `${name} takes ${example}`).join(', ');
  throw new SettingError(
    wrong[0]?.[0] ?? '',
    `start:services runs processes that share a bus and stores: ${takes}; memory: and pglite: are for one process, which npm start runs.`,
  );
}
