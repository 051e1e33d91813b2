import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { permissionFile } from './nats-permission-file.js';

/** Writes infra/nats/permissions.conf from what the built services declare. */
const root = join(import.meta.dirname, '..');
/** @type {Record<string, import('@portico/contracts').Conversations>} */
const services = {};
for (const name of readdirSync(join(root, 'apps')).sort()) {
  const file = join(root, 'apps', name, 'dist/conversations.js');
  if (!existsSync(file)) continue;
  services[name] = (await import(pathToFileURL(file).href)).conversations;
}
writeFileSync(join(root, 'infra/nats/permissions.conf'), permissionFile(services));
