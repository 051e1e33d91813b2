import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { said } from './children.mjs';
import { PREFIX, TOOL } from './message.mjs';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/mcp/;

const ours = (/** @type {string} */ name) => fileURLToPath(new URL(`./servers/${name}.mjs`, import.meta.url));
const built = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const main = (/** @type {string} */ app) => built(`apps/${app}/dist/main.js`);
const SETTLED = {
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_HOST: '127.0.0.1',
  ADMIN_PORT: '0',
  OPS_HOST: '127.0.0.1',
  OPS_PORT: '0',
};

/**
 * @typedef {object} Stage where a row's processes are started
 * @property {string} upstreamUrl @property {string | undefined} natsUrl @property {string} home an empty folder of this row
 * @property {(script: string, args?: string[], env?: Record<string, string>) => import('node:child_process').ChildProcess} node
 *   starts a script pinned to the measured CPU; the stage owns the process
 *
 * @typedef {object} Row
 * @property {string} name @property {string} title @property {string} tool the name the tool is called by
 * @property {boolean} [nats] whether it needs a nats-server
 * @property {string[]} [builds] what must have been built
 * @property {(stage: Stage) => Promise<string>} start resolves to the URL to call
 */

/** @param {import('node:child_process').ChildProcess} child */
const addressOf = async (child) => (await said(child, ADDRESS))[0];

/** The settings of a Portico whose only source is the upstream, under the name that PREFIX has. @param {Stage} stage */
const settingsFor = async ({ upstreamUrl, home }) => {
  const file = join(home, 'mcp.json');
  const entry = { url: upstreamUrl, allowPrivate: true };
  await writeFile(file, JSON.stringify({ mcpServers: { [PREFIX.slice(0, -1)]: entry } }));
  return { ...SETTLED, MCP_SERVERS_FILE: file, PORTICO_HOME: home, WORKSPACE: join(home, 'workspace') };
};

/** Settings of a front door with a policy, whose callers are told apart and limited, and never reach the limit. @param {string} home */
const guarded = async (home) => {
  const policy = {
    tools: [{ match: `${PREFIX}*`, effect: 'read' }],
    access: [
      { subjects: ['nobody'], deny: ['*.delete_*'] },
      { tenants: ['b*'], allow: [`${PREFIX}*`] },
    ],
  };
  await writeFile(join(home, 'policy.yaml'), JSON.stringify(policy));
  const limits = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
  return { ...SETTLED, ...limits, PORTICO_HOME: home, POLICY_FILE: join(home, 'policy.yaml') };
};

/** @type {Row[]} */
export const ROWS = [
  {
    name: 'bare-http',
    title: 'bare node:http JSON echo',
    tool: TOOL,
    start: ({ node }) => addressOf(node(ours('echo'))),
  },
  {
    name: 'front-alone',
    title: 'front door alone, tool in process',
    tool: PREFIX + TOOL,
    builds: ['packages/domain-kit/dist/index.js', 'apps/discovery/dist/main.js', 'apps/front-door/dist/main.js'],
    start: ({ node, home }) => addressOf(node(ours('front-alone'), [], { ...SETTLED, PORTICO_HOME: home })),
  },
  {
    name: 'front-hung',
    title: 'the same, while another domain hangs under 256 callers',
    tool: PREFIX + TOOL,
    builds: ['apps/front-door/dist/main.js'],
    async start({ node, home }) {
      const url = await addressOf(node(ours('front-alone'), [], { ...SETTLED, PORTICO_HOME: home }));
      await said(node(ours('hanging-callers'), [url]), /full/);
      return url;
    },
  },
  {
    name: 'front-key',
    title: 'the front door alone, by API key, under a policy',
    tool: PREFIX + TOOL,
    builds: ['apps/front-door/dist/auth/keys/main.js'],
    async start({ node, home }) {
      const key = node(built('apps/front-door/dist/auth/keys/main.js'), ['create', '--subject', 'b', '--tenant', 'b'], {
        PORTICO_HOME: home,
      });
      const [secret] = await said(key, /portico_[0-9a-f]{12}_[A-Za-z0-9_-]{43}/);
      const env = { ...(await guarded(home)), AUTH_MODE: 'api-key' };
      return `${await addressOf(node(ours('front-alone'), [], env))}#${secret}`;
    },
  },
  {
    name: 'front-jwt',
    title: 'the same, by token, under a policy',
    tool: PREFIX + TOOL,
    builds: ['packages/testkit/dist/token-issuer.js'],
    async start({ node, home }) {
      const [, issuer, jwks, token] = await said(node(ours('token-issuer')), /issuer (\S+) (\S+) (\S+)/);
      const names = { JWT_ISSUER: issuer, JWT_JWKS_URL: jwks, JWT_AUDIENCE: 'bench' };
      const env = { ...(await guarded(home)), AUTH_MODE: 'jwt', ...names };
      return `${await addressOf(node(ours('front-alone'), [], env))}#${token}`;
    },
  },
  { name: 'sdk-only', title: 'SDK-only server', tool: TOOL, start: ({ node }) => addressOf(node(ours('sdk-only'))) },
  { name: 'direct', title: 'the upstream called directly', tool: TOOL, start: async ({ upstreamUrl }) => upstreamUrl },
  {
    name: 'thin-proxy',
    title: 'thin proxy',
    tool: PREFIX + TOOL,
    start: ({ node, upstreamUrl }) => addressOf(node(ours('thin-proxy'), [upstreamUrl])),
  },
  {
    name: 'full-hop',
    title: 'full hop in process',
    tool: PREFIX + TOOL,
    builds: ['apps/local/dist/main.js'],
    start: async (stage) => addressOf(stage.node(main('local'), [], await settingsFor(stage))),
  },
  {
    name: 'thin-nats',
    title: 'thin proxy over raw NATS',
    tool: PREFIX + TOOL,
    nats: true,
    async start({ node, natsUrl = '', upstreamUrl }) {
      await said(node(ours('thin-nats-worker'), [natsUrl, upstreamUrl]), /ready/);
      return addressOf(node(ours('thin-nats-front'), [natsUrl]));
    },
  },
  {
    name: 'full-hop-nats',
    title: 'full hop over nats-server',
    tool: PREFIX + TOOL,
    nats: true,
    builds: ['front-door', 'discovery', 'upstreams'].map((app) => `apps/${app}/dist/main.js`),
    async start(stage) {
      const env = { ...(await settingsFor(stage)), BUS_URL: stage.natsUrl ?? '' };
      for (const app of ['discovery', 'upstreams']) stage.node(main(app), [], env);
      return addressOf(stage.node(main('front-door'), [], env));
    },
  },
];

/** Why a row can not run here; undefined when it can. @param {Row} row @param {boolean} hasNats */
export const obstacle = (row, hasNats) => {
  if (row.nats && !hasNats) return 'no nats-server here';
  if (row.builds?.some((path) => !existsSync(built(path)))) return 'not built: npm run build';
  return undefined;
};
