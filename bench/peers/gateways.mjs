import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The gateways that are compared, how each is installed, and the command that starts it before an upstream. */

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, '.cache/peers');
const RUST = join(CACHE, 'rust');
const NPM = join(CACHE, 'npm');
const VERSIONS = { rust: '0.4.3', 'mcp-proxy': '6.7.19', supergateway: '4.0.0' };

/**
 * @typedef {object} Place where a gateway listens and what is behind it
 * @property {number} port @property {string} home an empty folder @property {string} upstreamUrl
 * @property {string[]} stdio the command of the same upstream over stdio
 *
 * @typedef {object} Gateway
 * @property {string} name @property {'HTTP' | 'stdio'} upstream what it has behind it
 * @property {string} [path] where its endpoint is, if not at /mcp
 * @property {boolean} [modern] measured by the 2026-07-28 revision
 * @property {(place: Place) => { command: string[], env?: Record<string, string> }} start
 */

/** @param {Place} place @returns {{ command: string[], env: Record<string, string> }} */
const portico = ({ port, home, upstreamUrl }) => {
  const file = join(home, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { bench: { url: upstreamUrl, allowPrivate: true } } }));
  return {
    command: [process.execPath, join(ROOT, 'apps/local/dist/main.js')],
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      MCP_SERVERS_FILE: file,
      PORTICO_HOME: home,
      WORKSPACE: join(home, 'workspace'),
    },
  };
};

/** @type {Gateway[]} */
export const GATEWAYS = [
  { name: 'portico', upstream: 'HTTP', start: portico },
  { name: 'portico, 2026-07-28', upstream: 'HTTP', modern: true, start: portico },
  {
    name: `mcp-proxy ${VERSIONS.rust} (Rust)`,
    upstream: 'HTTP',
    path: '/',
    start({ port, home, upstreamUrl }) {
      const config = join(home, 'proxy.toml');
      writeFileSync(
        config,
        `[proxy]\nname = "bench"\nseparator = "/"\n[proxy.listen]\nhost = "127.0.0.1"\nport = ${port}\n` +
          `[[backends]]\nname = "bench"\ntransport = "http"\nurl = "${upstreamUrl}"\n`,
      );
      return { command: [join(RUST, 'bin/mcp-proxy'), '--config', config] };
    },
  },
  {
    name: `mcp-proxy ${VERSIONS['mcp-proxy']} (npm)`,
    upstream: 'stdio',
    start: ({ port, stdio }) => ({
      command: [
        process.execPath,
        join(NPM, 'node_modules/.bin/mcp-proxy'),
        ...['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--', ...stdio],
      ],
    }),
  },
  {
    name: `supergateway ${VERSIONS.supergateway}`,
    upstream: 'stdio',
    start: ({ port, stdio }) => ({
      command: [
        process.execPath,
        join(NPM, 'node_modules/.bin/supergateway'),
        ...['--stdio', stdio.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
        ...['--port', String(port), '--logLevel', 'none'],
      ],
    }),
  },
];

/** @param {string} file @param {string} part */
const says = (file, part) => existsSync(file) && readFileSync(file, 'utf8').includes(part);

/** @param {string} program @param {string[]} args @param {string} cwd */
const must = (program, args, cwd) => {
  console.error(`${program} ${args.join(' ')}`);
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? status}`);
};

/** Installs the peers at their exact versions, each only when it is not there. Throws when a registry's client fails. */
export const installPeers = () => {
  mkdirSync(NPM, { recursive: true });
  if (!says(join(RUST, '.crates.toml'), `mcp-proxy ${VERSIONS.rust} `))
    must('cargo', ['install', '--locked', '--root', RUST, `mcp-proxy@${VERSIONS.rust}`], CACHE);
  const manifest = join(NPM, 'package.json');
  // Else npm takes the nearest manifest above for the one to install into.
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}\n');
  const packages = /** @type {const} */ (['mcp-proxy', 'supergateway']);
  const isThere = packages.every((name) =>
    says(join(NPM, 'node_modules', name, 'package.json'), `"version": "${VERSIONS[name]}"`),
  );
  if (isThere) return;
  const exact = packages.map((name) => `${name}@${VERSIONS[name]}`);
  must(
    'npm',
    ['install', '--prefix', NPM, '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...exact],
    NPM,
  );
};
