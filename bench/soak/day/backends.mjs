import { Backends } from '../../../test/backends.ts';

// Everything behind the domains, in a process of its own, so that what the doubles remember is not taken for Portico's.
// The first argument is a folder for files of credentials. Says the settings of the domains on stdout.

const FORGET_EVERY_MS = 1_000;
const backends = await Backends.start(String(process.argv[2]));
const { plane, git, n8n, dispatcher, slack, github, cluster } = backends;
plane.records.create(plane.records.project('SHOP'), { name: 'Cart fails' });
await git.put('.plane/SHOP.json', '{\n  "project": "SHOP",\n  "work_items": [\n  ]\n}\n');
const hook = {
  name: 'Webhook',
  type: 'n8n-nodes-base.webhook',
  parameters: { path: 'page', httpMethod: 'POST', responseMode: 'onReceived' },
};
n8n.workflow('Page on-call', [/** @type {any} */ (hook)], { tags: ['mcp'], active: true });

// What was asked is for tests to look at.
const seen = /** @type {unknown[][]} */ (
  [plane, git, n8n, dispatcher, slack.proxy, github.proxy, cluster].map(({ requests }) => requests)
);
const forgetting = setInterval(() => {
  for (const requests of seen) requests.length = 0;
}, FORGET_EVERY_MS);

process.once('SIGTERM', () => {
  clearInterval(forgetting);
  void backends.close().finally(() => process.exit(0));
});
console.log(`settings ${JSON.stringify(backends.env)}`);
