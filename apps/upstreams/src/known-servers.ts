export interface KnownServerEntry {
  readonly name: string;
  readonly title: string;
  /** One line. */
  readonly description: string;
  readonly entry:
    | { readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /** What must be there before the entry works: a variable that it refers to, or something on this host. */
  readonly needs: readonly { readonly name: string; readonly description: string }[];
}

const npx = (...args: string[]) => ({ command: 'npx', args: ['-y', ...args] });
const uvx = (...args: string[]) => ({ command: 'uvx', args });
/** Variables of the server that come from ours of the same names. */
const from = (...names: string[]) => ({ env: Object.fromEntries(names.map((name) => [name, `\${env:${name}}`])) });
const bearer = (name: string) => ({ headers: { Authorization: `Bearer \${env:${name}}` } });
const need = (name: string, description: string) => ({ name, description });

/** Well-known MCP servers, in order of name: their publishers' own packages and addresses, and what each needs. */
export const KNOWN_SERVERS: readonly KnownServerEntry[] = [
  {
    name: 'atlassian',
    title: 'Jira and Confluence',
    description: 'Searches, reads and edits Jira issues (Confluence with its own variables).',
    entry: { ...uvx('mcp-atlassian'), ...from('JIRA_URL', 'JIRA_USERNAME', 'JIRA_API_TOKEN') },
    needs: [
      need('JIRA_URL', 'Address of the Jira site'),
      need('JIRA_USERNAME', 'E-mail address of the account'),
      need('JIRA_API_TOKEN', 'API token of the account'),
    ],
  },
  {
    name: 'aws-docs',
    title: 'AWS documentation',
    description: 'Searches and reads the documentation of Amazon Web Services.',
    entry: uvx('awslabs.aws-documentation-mcp-server@latest'),
    needs: [],
  },
  {
    name: 'brave-search',
    title: 'Brave Search',
    description: 'Searches the web, news, images and places with Brave.',
    entry: { ...npx('@brave/brave-search-mcp-server', '--transport', 'stdio'), ...from('BRAVE_API_KEY') },
    needs: [need('BRAVE_API_KEY', 'API key of Brave Search')],
  },
  {
    name: 'chrome-devtools',
    title: 'Chrome DevTools',
    description: 'Drives and inspects a Chrome browser: pages, network, console, performance.',
    entry: npx('chrome-devtools-mcp@latest', '--headless=true', '--isolated=true'),
    needs: [need('Chrome', 'A Chrome browser installed on this host')],
  },
  {
    name: 'cloudflare-docs',
    title: 'Cloudflare documentation',
    description: 'Searches the documentation of Cloudflare.',
    entry: { url: 'https://docs.mcp.cloudflare.com/mcp' },
    needs: [],
  },
  {
    name: 'context7',
    title: 'Context7',
    description: 'Current documentation and examples of programming libraries.',
    entry: { url: 'https://mcp.context7.com/mcp' },
    needs: [],
  },
  {
    name: 'deepwiki',
    title: 'DeepWiki',
    description: 'Answers questions about public GitHub repositories.',
    entry: { url: 'https://mcp.deepwiki.com/mcp' },
    needs: [],
  },
  {
    name: 'exa',
    title: 'Exa',
    description: 'Searches the web by meaning, and reads what it finds.',
    entry: { ...npx('exa-mcp-server'), ...from('EXA_API_KEY') },
    needs: [need('EXA_API_KEY', 'API key of Exa')],
  },
  {
    name: 'fetch',
    title: 'Fetch',
    description: 'Fetches a web page and turns it into Markdown.',
    entry: uvx('mcp-server-fetch'),
    needs: [],
  },
  {
    name: 'filesystem',
    title: 'Filesystem',
    description: 'Reads and writes the files of the workspace folder.',
    entry: npx('@modelcontextprotocol/server-filesystem', '{workspace}'),
    needs: [],
  },
  {
    name: 'firecrawl',
    title: 'Firecrawl',
    description: 'Scrapes, crawls and searches web sites.',
    entry: { ...npx('firecrawl-mcp'), ...from('FIRECRAWL_API_KEY') },
    needs: [need('FIRECRAWL_API_KEY', 'API key of Firecrawl')],
  },
  {
    name: 'git',
    title: 'Git',
    description: 'Reads, searches and commits in a local Git repository.',
    entry: uvx('mcp-server-git', '--repository', '{workspace}'),
    needs: [need('Git repository', 'The workspace folder must be a Git repository, or the argument name one')],
  },
  {
    name: 'github-remote',
    title: 'GitHub',
    description: 'Repositories, issues, pull requests and actions, by the server that GitHub runs.',
    entry: { url: 'https://api.githubcopilot.com/mcp/', ...bearer('GITHUB_PERSONAL_ACCESS_TOKEN') },
    needs: [need('GITHUB_PERSONAL_ACCESS_TOKEN', 'Personal access token of a GitHub account')],
  },
  {
    name: 'grafana',
    title: 'Grafana',
    description: 'Dashboards, data sources, alerts and incidents of a Grafana.',
    entry: { ...uvx('mcp-grafana'), ...from('GRAFANA_URL', 'GRAFANA_SERVICE_ACCOUNT_TOKEN') },
    needs: [
      need('GRAFANA_URL', 'Address of the Grafana'),
      need('GRAFANA_SERVICE_ACCOUNT_TOKEN', 'Token of a service account'),
    ],
  },
  {
    name: 'hugging-face',
    title: 'Hugging Face',
    description: 'Searches models, data sets, papers and spaces of the Hugging Face Hub.',
    entry: { url: 'https://huggingface.co/mcp', ...bearer('HF_TOKEN') },
    needs: [need('HF_TOKEN', 'Access token of a Hugging Face account')],
  },
  {
    name: 'kubernetes',
    title: 'Kubernetes',
    description: 'Reads the objects, logs and events of a Kubernetes cluster.',
    entry: { ...npx('kubernetes-mcp-server@latest', '--read-only'), ...from('KUBECONFIG') },
    needs: [need('KUBECONFIG', 'Path of a kubeconfig file')],
  },
  {
    name: 'memory',
    title: 'Memory',
    description: 'Remembers entities, relations and observations between conversations.',
    entry: { ...npx('@modelcontextprotocol/server-memory'), env: { MEMORY_FILE_PATH: '{workspace}/memory.jsonl' } },
    needs: [],
  },
  {
    name: 'microsoft-learn',
    title: 'Microsoft Learn',
    description: 'Searches the documentation of Microsoft and Azure.',
    entry: { url: 'https://learn.microsoft.com/api/mcp' },
    needs: [],
  },
  {
    name: 'mongodb',
    title: 'MongoDB',
    description: 'Explores and queries a MongoDB database, read only.',
    entry: { ...npx('mongodb-mcp-server', '--readOnly'), ...from('MDB_MCP_CONNECTION_STRING') },
    needs: [need('MDB_MCP_CONNECTION_STRING', 'Connection string of the database')],
  },
  {
    name: 'notion',
    title: 'Notion',
    description: 'Searches, reads and edits the pages and databases of a Notion workspace.',
    entry: { ...npx('@notionhq/notion-mcp-server'), ...from('NOTION_TOKEN') },
    needs: [need('NOTION_TOKEN', 'Token of an internal integration')],
  },
  {
    name: 'playwright',
    title: 'Playwright',
    description: 'Drives a browser: opens pages, clicks, types and reads what is shown.',
    entry: npx('@playwright/mcp@latest', '--headless'),
    needs: [need('Browser', 'A Chrome browser installed on this host')],
  },
  {
    name: 'postgres',
    title: 'PostgreSQL',
    description: 'Inspects, queries and analyses a PostgreSQL database, read only.',
    entry: { ...uvx('postgres-mcp', '--access-mode=restricted'), ...from('DATABASE_URI') },
    needs: [need('DATABASE_URI', 'Connection string of the database, of an account that may only read')],
  },
  {
    name: 'redis',
    title: 'Redis',
    description: 'Reads and writes the keys, lists, streams and hashes of a Redis.',
    entry: { ...uvx('--from', 'redis-mcp-server@latest', 'redis-mcp-server'), ...from('REDIS_HOST', 'REDIS_PWD') },
    needs: [need('REDIS_HOST', 'Host of the Redis'), need('REDIS_PWD', 'Its password')],
  },
  {
    name: 'sequential-thinking',
    title: 'Sequential Thinking',
    description: 'A scratch pad for thinking a problem through, step by step.',
    entry: npx('@modelcontextprotocol/server-sequential-thinking'),
    needs: [],
  },
  {
    name: 'stripe',
    title: 'Stripe',
    description: 'Customers, products, invoices and payments of a Stripe account, and its documentation.',
    entry: { url: 'https://mcp.stripe.com', ...bearer('STRIPE_SECRET_KEY') },
    needs: [need('STRIPE_SECRET_KEY', 'Restricted API key of a Stripe account')],
  },
  {
    name: 'tavily',
    title: 'Tavily',
    description: 'Searches the web and extracts pages for research.',
    entry: { ...npx('tavily-mcp'), ...from('TAVILY_API_KEY') },
    needs: [need('TAVILY_API_KEY', 'API key of Tavily')],
  },
  {
    name: 'time',
    title: 'Time',
    description: 'Tells the time and converts it between time zones.',
    entry: uvx('mcp-server-time', '--local-timezone=UTC'),
    needs: [],
  },
];
