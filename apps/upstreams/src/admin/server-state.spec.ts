import { describe, expect, it } from '@jest/globals';
import { parseServerEntry } from '../server-entry.js';
import { stateOf } from './server-state.js';

const entry = parseServerEntry({
  spelled: 'a',
  given: { command: 'x', hiddenTools: ['b', 'a', 'gone'] },
  by: 'file',
  others: [],
  policy: { serverSecrets: new Set(), stdioByApi: true },
});
const server = { spelled: 'a', source: 'file', folder: '/', entry } as const;
const status = {
  state: 'connected',
  era: 'legacy',
  protocolVersion: '2025-11-25',
  tools: ['a', 'b', 'c'],
  error: null,
  since: null,
  stderr: Array.from({ length: 50 }, (_, n) => `${n} ${'x'.repeat(4_000)}`),
} as const;
const told = { ...status, tools: [...status.tools], stderr: [...status.stderr] };

describe('[UP-2][UP-9] a server as its operators see it', () => {
  it('counts the tools that are not hidden', () => {
    expect(stateOf(server, told)).toMatchObject({ tools: 1, hiddenTools: ['a', 'b', 'gone'] });
  });

  it('shows the last lines of standard error, cut: 20 of one server, and no more than one message holds of all', () => {
    const { stderr } = stateOf(server, told);
    expect(stderr.map((line) => [line.slice(0, 2), line.length])).toEqual(
      Array.from({ length: 20 }, (_, n) => [String(n + 30), 300]),
    );
    expect(stateOf(server, told, 100).stderr).toHaveLength(6);
    expect(stateOf(server, told, 10_000).stderr).toHaveLength(1);
  });
});
