import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The newest that runs on Node 20. */
export const VERSION = '2.8.4';

/** The entry of an installed n8n: from the cache, or installed there first (minutes, 2.3 GB). Throws when npm fails. */
export async function installedN8n() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'portico', `n8n-${VERSION}`);
  const entry = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
  // npm itself writes this when it is through: half an installation is none.
  if (existsSync(entry) && existsSync(join(folder, 'package-lock.json'))) return entry;
  console.log(`Installing n8n ${VERSION}; this takes several minutes and 2.3 GB.`);
  const started = `${folder}.${process.pid}`;
  await mkdir(started, { recursive: true });
  // Its own xlsx comes from an address outside the registry.
  const manifest = { name: 'e2e-n8n', private: true, dependencies: { n8n: VERSION }, overrides: { xlsx: '0.18.5' } };
  await writeFile(join(started, 'package.json'), JSON.stringify(manifest));
  // sqlite3 is compiled: against the headers of this Node, where they are installed beside it.
  const headers = dirname(dirname(process.execPath));
  const env = existsSync(join(headers, 'include/node/node.h')) ? { npm_config_nodedir: headers } : {};
  try {
    await new Promise((resolve, reject) => {
      const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
      const npm = spawn('npm', args, { cwd: started, stdio: 'inherit', env: { ...process.env, ...env } });
      npm.on('error', reject);
      npm.on('exit', (code) => (code === 0 ? resolve() : reject(new Error('n8n could not be installed.'))));
    });
    await rm(folder, { recursive: true, force: true });
    await rename(started, folder);
  } finally {
    await rm(started, { recursive: true, force: true });
  }
  return entry;
}
