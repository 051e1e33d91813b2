import { describe, expect, it } from '@jest/globals';
import { KNOWN_SERVERS } from './known-servers.js';
import { parseServerEntry } from './server-entry.js';

describe('[UP-2] the known servers', () => {
  it('are about 25, in order of name, each with one line', () => {
    expect(KNOWN_SERVERS.length).toBeGreaterThanOrEqual(25);
    const names = KNOWN_SERVERS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    for (const { title, description } of KNOWN_SERVERS) {
      expect(title).toMatch(/^\S.{1,40}$/);
      expect(description).toMatch(/^[A-Z][^\n]{10,100}\.$/);
    }
  });

  it.each(KNOWN_SERVERS.map((known) => [known.name, known] as const))(
    '%s can be saved as it stands once what it needs is allowed, and refers to nothing else',
    (_name, { name: spelled, entry: given, needs = [] }) => {
      const policy = { serverSecrets: new Set(needs.map(({ name }) => name)), stdioByApi: true };
      const entry = parseServerEntry({ spelled, given, by: 'api', others: [], policy });
      expect(entry.name).toBe(spelled);
      if (entry.transport.kind === 'stdio') expect(['npx', 'uvx']).toContain(entry.transport.command);
      else expect(entry.transport.url).toMatch(/^https:/);
      for (const { description } of needs) expect(description).toMatch(/^[A-Z][^\n]{5,100}$/);
    },
  );
});
