import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SettingsTable, readSettings } from '@portico/settings';
import { parse } from 'yaml';

/** A part of a volume. */
interface Mounted {
  readonly source: string;
  readonly target: string;
  readonly read_only: boolean;
  readonly volume: { readonly subpath: string; readonly nocopy: boolean };
}
interface Service {
  readonly image: string;
  readonly build?: { readonly dockerfile: string; readonly target: string };
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly privileged?: boolean;
  readonly ports?: string[];
  readonly networks?: string[];
  readonly secrets?: string[];
  readonly volumes?: (string | Mounted)[];
  readonly command?: string[];
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly environment?: Record<string, string | number>;
  readonly healthcheck?: { readonly test?: string[]; readonly disable?: boolean };
}
interface Compose {
  readonly services: Record<string, Service>;
  readonly networks: Record<string, { readonly internal?: boolean } | null>;
  readonly volumes: Record<string, null>;
}
interface Config {
  readonly settings: SettingsTable;
  readConfig(env: Record<string, string>): unknown;
}

const root = join(import.meta.dirname, '..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const { services, networks, volumes: namedVolumes } = parse(text('docker-compose.yml'), { merge: true }) as Compose;
const volumeNames = Object.keys(namedVolumes);
const dockerfile = text('infra/docker/Dockerfile');
const { version } = JSON.parse(text('package.json')) as { version: string };
/** `local` runs all the others in one process, for a machine without containers. */
const apps = readdirSync(join(root, 'apps')).filter((name) => name !== 'local');
const all = Object.entries(services);

const service = (name: string): Service => {
  const found = services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};

/** Where a container finds its addresses, and nobody else's. */
const STORES = '/run/portico';
let stores: string;
const plain = ({ volumes = [] }: Service): string[] => volumes.filter((volume) => typeof volume === 'string');
const parts = ({ volumes = [] }: Service): Mounted[] => volumes.filter((volume) => typeof volume !== 'string');
/** Runs what the container `passwords` runs, on a folder of ours. */
const makePasswords = (): void => {
  const script = service('passwords').command?.[0] ?? '';
  execFileSync('sh', ['-ec', script.replaceAll('$$', '$').replace('/var/lib/portico', stores)]);
};
beforeAll(() => {
  stores = mkdtempSync(join(tmpdir(), 'portico-compose-'));
  makePasswords();
});
afterAll(() => rmSync(stores, { recursive: true }));

/** A text of the compose file as it is with these variables set where compose runs, and no others. */
const interpolated = (value: string | number, set: Record<string, string> = {}): string =>
  String(value).replace(/\$\{(\w+)(?::([-+])([^}]*))?\}/g, (_whole, name: string, sign = '', word = '') => {
    if (sign === '+') return set[name] ? word : '';
    return set[name] || word;
  });

/** What a container gets; when nothing is set, unless it is given. */
const environmentOf = ({ environment = {} }: Service, set?: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolated(value, set)]));

const configOf = async (app: string): Promise<Config> => (await import(`../apps/${app}/src/config.ts`)) as Config;

describe('[OP-1] docker-compose.yml', () => {
  it('has the bus, Redis, PostgreSQL with pgvector, and a service for every app', () => {
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['nats', 'redis', 'postgres', ...apps]));
    expect(service('postgres').image).toMatch(/^pgvector\/pgvector:/);
  });

  it.each(apps)('sets what %s requires, and nothing that it does not know', async (app) => {
    const env = environmentOf(service(app));
    const { settings, readConfig } = await configOf(app);
    const here = Object.entries(env).map(([name, value]) => [name, value.replace(STORES, join(stores, app))] as const);
    expect(readConfig(Object.fromEntries(here))).toBeDefined();
    const known = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`]);
    expect(Object.keys(env).filter((name) => !known.includes(name))).toEqual([]);
    expect(env['BUS_URL_FILE']).toBe(`${STORES}/bus-url`);
  });

  it.each(apps)('builds %s by a target of its own, which runs its main', (app) => {
    expect(service(app).build).toMatchObject({ dockerfile: 'infra/docker/Dockerfile', target: app });
    expect(service(app).image).toBe(`portico/${app}:${version}`);
    expect(dockerfile).toContain(`FROM service AS ${app}\nCMD ["node", "apps/${app}/dist/main.js"]`);
    expect(existsSync(join(root, `apps/${app}/src/main.ts`))).toBe(true);
  });

  it.each(all)('runs %s without privileges on a read-only root, by an exact tag', (_name, one) => {
    expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(one.privileged).toBeUndefined();
    expect(one.user).toMatch(/^(?!root|0)\w/);
    expect(one.image).toMatch(/^[\w/-]+:\d+\.\d+\.\d+(-[\w.-]+)?$/);
  });

  it.each(all.filter(([name]) => name !== 'passwords'))(
    'checks the health of %s',
    (name, { healthcheck, environment }) => {
      expect(healthcheck?.test?.[0]).toBe('CMD');
      if (!apps.includes(name)) return;
      const port = name === 'front-door' ? environment?.['ADMIN_PORT'] : environment?.['OPS_PORT'];
      expect(healthcheck?.test?.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`);
    },
  );

  it('publishes the front door and its admin listener alone, on loopback', () => {
    const { PORT, ADMIN_PORT } = environmentOf(service('front-door'));
    expect(service('front-door').ports).toEqual([`127.0.0.1:${PORT}:${PORT}`, `127.0.0.1:${ADMIN_PORT}:${ADMIN_PORT}`]);
    expect(all.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['front-door']);
  });

  const read = (name: string): string => readFileSync(join(stores, name), 'utf8');
  const files = (): string[] =>
    (readdirSync(stores, { recursive: true }) as string[])
      .filter((name) => statSync(join(stores, name)).isFile())
      .sort();

  it('makes the passwords of the stores once, and an address with each for those who use it', () => {
    const [postgres, redis] = [read('made/postgres'), read('made/redis')];
    expect(postgres).toMatch(/^[0-9a-f]{64}$/);
    expect(redis).toMatch(/^[0-9a-f]{64}$/);
    const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD_FILE } = environmentOf(service('postgres'));
    expect(POSTGRES_PASSWORD_FILE).toBe(`${STORES}/password`);
    expect(read('postgres/password')).toBe(postgres);
    expect(service('redis').command?.slice(0, 2)).toEqual(['redis-server', `${STORES}/redis.conf`]);
    expect(read('redis/redis.conf')).toBe(`requirepass ${redis}\n`);
    for (const app of apps) {
      const { DATABASE_URL_FILE, REDIS_URL_FILE } = environmentOf(service(app));
      if (DATABASE_URL_FILE !== undefined)
        expect(read(`${app}/database-url`)).toBe(
          `postgres://${POSTGRES_USER}:${postgres}@postgres:5432/${POSTGRES_DB}`,
        );
      if (REDIS_URL_FILE !== undefined) expect(read(`${app}/redis-url`)).toBe(`redis://:${redis}@redis:6379`);
    }
    const before = files().map((name) => [name, read(name)]);
    makePasswords();
    expect(files().map((name) => [name, read(name)])).toEqual(before);
    for (const name of files()) expect([name, statSync(join(stores, name)).mode & 0o777]).toEqual([name, 0o444]);
    const secrets = files().filter((name) => name.startsWith('made/'));
    expect(new Set(secrets.map(read)).size).toBe(secrets.length);
    expect(statSync(join(stores, 'made')).mode & 0o777).toBe(0o700);
  });

  it('[OP-5] makes a user of the bus for each service, which it alone can read, and the server all of them', () => {
    const passwords = read('nats/passwords.conf');
    const users = text('infra/nats/permissions.conf').matchAll(/user: "([^"]+)", password: \$(\w+)/g);
    const wanted = [...users].map(([, user = '', variable = '']) => `${variable}: "${read(`made/${user}`)}"`);
    expect(passwords.trim().split('\n').sort()).toEqual(wanted.sort());
    for (const app of apps) expect(read(`${app}/bus-url`)).toBe(`nats://${app}:${read(`made/${app}`)}@nats:4222`);
    expect(service('nats').command).toEqual(['-c', '/etc/nats/with-permissions.conf']);
    const conf = [...text('infra/nats/with-permissions.conf').matchAll(/^include "(.*)"$/gm)].map(([, name]) => name);
    expect(conf).toEqual(['nats-server.conf', 'permissions.conf']);
    const mounted = ['with-permissions.conf', ...conf].map((name) => `./infra/nats/${name}:/etc/nats/${name}:ro`);
    expect(plain(service('nats'))).toEqual(mounted);
    expect(parts(service('nats')).map(({ target }) => target)).toEqual(['/etc/nats/passwords']);
  });

  it('[OP-5] leaves the file of a service that a rotation has moved to its other user', () => {
    const file = join(stores, 'front-door/bus-url');
    const was = read('front-door/bus-url');
    const next = was.replace('//front-door:', '//front-door-next:');
    rmSync(file);
    writeFileSync(file, next);
    makePasswords();
    expect(read('front-door/bus-url')).toBe(next);
    rmSync(file);
    makePasswords();
    expect(read('front-door/bus-url')).toBe(was);
  });

  it('shows each container its own folder of the passwords, and no other', () => {
    for (const [name, one] of all) {
      if (name === 'passwords') continue;
      expect([name, plain(one).filter((volume) => volume.startsWith('passwords'))]).toEqual([name, []]);
      const mine = { source: 'passwords', read_only: true, volume: { subpath: name, nocopy: true } };
      expect(parts(one)).toEqual([expect.objectContaining(mine)]);
      if (name !== 'nats') expect(parts(one)[0]?.target).toBe(STORES);
      expect(one.depends_on).toHaveProperty('passwords.condition', 'service_completed_successfully');
    }
    const folders = readdirSync(stores).filter((name) => name !== 'made');
    expect(folders.sort()).toEqual([...apps, 'nats', 'postgres', 'redis'].sort());
  });

  it('gives a store to those whose settings name it, and to no one else', () => {
    for (const [name, one] of all) {
      const uses = Object.keys(one.environment ?? {}).some((key) => /^(DATABASE|REDIS)_URL_FILE$/.test(key));
      const isStore = ['postgres', 'redis'].includes(name);
      expect([name, one.networks?.includes('data') ?? false]).toEqual([name, uses || isStore]);
      if (isStore || name === 'passwords' || name === 'nats') continue;
      const { DATABASE_URL_FILE, REDIS_URL_FILE } = environmentOf(one);
      const named = [DATABASE_URL_FILE && 'database-url', REDIS_URL_FILE && 'redis-url'].filter(Boolean);
      expect([name, ...readdirSync(join(stores, name)).sort()]).toEqual([name, 'bus-url', ...named]);
    }
  });

  it.each(apps)('%s has a store outside of it for each that it can use', async (app) => {
    const { settings } = await configOf(app);
    for (const name of ['DATABASE_URL', 'REDIS_URL']) {
      if (name in settings) expect(service(app).environment).toHaveProperty(`${name}_FILE`);
    }
  });

  it('keeps bus and data on networks that lead nowhere, and lets only clients of what is outside out', () => {
    expect([networks['bus']?.internal, networks['data']?.internal]).toEqual([true, true]);
    const out = all.filter(([, one]) => one.networks?.includes('outside')).map(([name]) => name);
    const adapters = ['adapter-cluster', 'adapter-dagger', 'adapter-github', 'adapter-n8n', 'adapter-plane'];
    expect(out.sort()).toEqual([...adapters, 'slack-bridge', 'upstreams']);
  });

  it('[AD-16] gives the bot token of Slack to the bridge alone, and the adapter no way out', () => {
    expect(all.filter(([, one]) => one.secrets?.includes('slack-bot-token')).map(([name]) => name)).toEqual([
      'slack-bridge',
    ]);
    expect([service('adapter-slack').networks, service('adapter-slack').secrets]).toEqual([['bus'], undefined]);
  });

  it('[OP-7] lets the bus carry 9 MiB: the largest answer of a backend, and its frame', () => {
    expect(text('infra/nats/nats-server.conf')).toMatch(new RegExp(`^max_payload: ${9 * 1024 * 1024}$`, 'm'));
  });

  it('gives upstreams the folder of servers that MCP_SERVERS_DIR names, or else the built-in servers', async () => {
    const set = { MCP_SERVERS_DIR: './servers' };
    const { settings } = await configOf('upstreams');
    const volumes = plain(service('upstreams'));
    const mountedWith = (set?: Record<string, string>) =>
      volumes.map((volume) => interpolated(volume, set).split(':')).find(([, to]) => to === '/etc/portico/servers');
    expect(mountedWith(set)).toEqual(['./servers', '/etc/portico/servers', 'ro']);
    expect(volumeNames).toContain(mountedWith()?.[0]);
    const where = (set?: Record<string, string>) => {
      const { MCP_SERVERS_FILE = '', SECRETS_DIR = '' } = environmentOf(service('upstreams'), set);
      const { MCP_SERVERS_FILE: file, SECRETS_DIR: secrets } = settings;
      return readSettings({ file, secrets } as SettingsTable, { file: MCP_SERVERS_FILE, secrets: SECRETS_DIR });
    };
    const folder = '/etc/portico/servers';
    expect(where(set)).toEqual({ file: `${folder}/mcp.json`, secrets: `${folder}/secrets` });
    expect(where()).toEqual({ file: undefined, secrets: undefined });
  });

  it('lets npx write where upstreams may', () => {
    const home = /FROM service AS upstreams\n[^]*?ENV HOME=(\S+)\n[^]*?FROM/.exec(dockerfile)?.[1];
    expect(home).toBe(environmentOf(service('upstreams'))['PORTICO_HOME']);
  });

  it.each(apps)('gives %s a volume for each folder that it writes', (app) => {
    const env = environmentOf(service(app));
    const folders = ['PORTICO_HOME', 'WORKSPACE'].flatMap((name) => env[name] ?? []);
    const mounted = plain(service(app)).map((volume) => volume.split(':')[1]);
    expect(mounted).toEqual(expect.arrayContaining(folders));
    for (const folder of folders) expect(dockerfile).toMatch(new RegExp(`install -d -o node .*${folder}\\b`));
  });
});

describe('[OP-1] infra/docker/Dockerfile', () => {
  it('starts from exact tags, ends unprivileged, and has a target for nothing but the apps', () => {
    const froms = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, from = '', as = '']) => ({ from, as }));
    const stages = froms.map(({ as }) => as);
    for (const { from } of froms) if (!stages.includes(from)) expect(from).toMatch(/^node:20\.\d+\.\d+-[\w-]+$/);
    expect(stages.filter((stage) => stage !== 'build' && stage !== 'service').sort()).toEqual(
      [...apps, 'local'].sort(),
    );
    expect(dockerfile.match(/^USER .*$/gm)).toEqual(['USER node']);
  });
});
