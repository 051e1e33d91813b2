import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const headingsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

interface Rules {
  readonly groups: readonly { readonly rules: readonly { alert: string; annotations: { runbook_url: string } }[] }[];
}

describe.each(['docs/operating.md', 'docs/scaling.md'])('[OP-13][OP-14] %s', (name) => {
  const page = read(name);

  it('leads nowhere that is not there', () => {
    const links = [...page.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^https?:/.test(link));
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? join(root, name) : join(root, dirname(name), path);
      expect([link, existsSync(file)]).toEqual([link, true]);
      if (anchor !== undefined)
        expect([link, headingsOf(readFileSync(file, 'utf8')).includes(anchor)]).toEqual([link, true]);
    }
  });

  it('names scripts, settings and metrics that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, script = ''] of page.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script);
    const settings = read('README.md');
    for (const [, setting = ''] of page.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)) {
      if (/^[A-Z_]+$/.test(setting) && FAULTS.includes(setting)) continue;
      if (OWN.includes(setting)) continue;
      expect([setting, settings.includes(setting.replace(/^(BUS|REDIS|DATABASE)_URL_FILE$/, '$1_URL'))]).toEqual([
        setting,
        true,
      ]);
    }
    const metrics = read('docs/metrics.md');
    for (const [metric] of page.matchAll(/\bportico_[a-z_]+\b/g)) {
      if (metric === 'portico_cache') continue;
      expect([metric, metrics.includes(`\`${metric}\``)]).toEqual([metric, true]);
    }
  });
});

const FAULTS = ['BACKEND_UNAVAILABLE', 'RATE_LIMITED', 'UNKNOWN_ERROR'];
/** Set for a command on the page, and for no service. */
const OWN = ['ADMIN_DATABASE_URL', 'OPS_PORT'];

describe('[OP-13] docs/operating.md', () => {
  const page = read('docs/operating.md');

  it('has a section for each alert, each alert has one, and each says what to do', () => {
    const alerts = (parse(read('infra/prometheus/alerts.yaml')) as Rules).groups.flatMap(({ rules }) => rules);
    expect(alerts.length).toBeGreaterThan(5);
    const wanted = alerts.map(({ annotations }) => annotations.runbook_url);
    const sections = [...page.matchAll(/^### (Alert: .+)\n\n([^]*?)(?=\n#)/gm)];
    expect(sections.map(([, heading = '']) => `docs/operating.md#${anchorOf(heading)}`).sort()).toEqual(
      [...wanted].sort(),
    );
    for (const [, heading, text = ''] of sections) expect([heading, text.length > 150]).toEqual([heading, true]);
  });

  it('has how each credential that a service reads from a file is rotated', () => {
    const table = page.slice(page.indexOf('## Rotating credentials'), page.indexOf('## Why one call was slow'));
    const settings = [...read('README.md').matchAll(/^\| `([A-Z0-9_]+_FILE)`/gm)].map(([, setting = '']) => setting);
    const secrets = settings.filter((setting) => !['MCP_SERVERS_FILE', 'POLICY_FILE'].includes(setting));
    expect(secrets).toEqual(expect.arrayContaining(['SIGNING_KEY_FILE', 'GITHUB_TOKEN_FILE']));
    for (const setting of [
      ...secrets,
      'BUS_URL_FILE',
      'REDIS_URL_FILE',
      'DATABASE_URL_FILE',
      'SECRETS_DIR',
      'JWT_JWKS_URL',
    ])
      expect([setting, table.includes(`\`${setting}\``)]).toEqual([setting, true]);
  });

  it('has the part of each thing that an operator does', () => {
    for (const part of [
      'sizing',
      'upgrade',
      'scale-one-service',
      'backup-and-restore',
      'rotating-credentials',
      'alerts',
    ])
      expect(headingsOf(page)).toContain(part);
    expect(headingsOf(page)).toContain('the-cut-over-from-an-older-endpoint-and-the-way-back');
  });
});
