import { describe, expect, it } from '@jest/globals';
import { connectionRevision, serverRevision } from './configured-server.js';
import type { ConfiguredServer } from './configured-server.js';
import { parseServerEntry } from './server-entry.js';

const configured = (given: Record<string, unknown>, more: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  spelled: 'a',
  source: 'file',
  folder: '/here',
  entry: parseServerEntry({
    spelled: 'a',
    given,
    by: 'file',
    others: [],
    policy: { serverSecrets: new Set(), stdioByApi: true },
  }),
  ...more,
});
const plain = { command: 'x', args: ['y'], env: { A: '1' } };
const before = configured(plain);

describe('[UP-1][UP-14] a changed entry', () => {
  it.each<[string, ConfiguredServer]>([
    ['command', configured({ ...plain, command: 'z' })],
    ['args', configured({ ...plain, args: [] })],
    ['env', configured({ ...plain, env: { A: '2' } })],
    ['cwd', configured({ ...plain, cwd: 'sub' })],
    ['folder', configured(plain, { folder: '/there' })],
    ['session', configured({ ...plain, session: 'per-principal' })],
    ['connectTimeoutSeconds', configured({ ...plain, connectTimeoutSeconds: 5 })],
    ['mount', configured({ ...plain, mount: 'root' })],
  ])('needs a new session when its %s is another', (_field, after) => {
    expect(connectionRevision(after)).not.toBe(connectionRevision(before));
    expect(serverRevision(after)).not.toBe(serverRevision(before));
  });

  it.each<[string, ConfiguredServer]>([
    ['description', configured({ ...plain, description: 'd' })],
    ['hiddenTools', configured({ ...plain, hiddenTools: ['t'] })],
    ['callTimeoutSeconds', configured({ ...plain, callTimeoutSeconds: 5 })],
    ['outputLimit', configured({ ...plain, outputLimit: 50_000 })],
    ['source', configured(plain, { source: 'api' })],
  ])('keeps its session when only its %s is another', (_field, after) => {
    expect(connectionRevision(after)).toBe(connectionRevision(before));
    expect(serverRevision(after)).not.toBe(serverRevision(before));
  });

  it('is the same whatever the order of its hidden tools', () => {
    const [one, other] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map((hiddenTools) => configured({ ...plain, hiddenTools }));
    expect(serverRevision(one!)).toBe(serverRevision(other!));
  });
});
