import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { SessionIds } from './session-id.js';

const ann = { tenant: 'a', subject: 'ann', scopes: [] };
const bob = { tenant: 'a', subject: 'bob', scopes: [] };
const elsewhere = { tenant: 'b', subject: 'ann', scopes: [] };

describe('[FD-26] signed session ids', () => {
  const key = randomBytes(32);
  const ids = new SessionIds(key);

  it('verify on any front door with the same key, and differ each time', () => {
    const id = ids.mint(ann);
    expect(new SessionIds(key).verify(id, ann)).toBe(id.split('.')[0]);
    expect(ids.mint(ann)).not.toBe(id);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  it('are worth nothing to another subject, another tenant, or under another key', () => {
    const id = ids.mint(ann);
    expect(ids.verify(id, bob)).toBeUndefined();
    expect(ids.verify(id, elsewhere)).toBeUndefined();
    expect(new SessionIds(randomBytes(32)).verify(id, ann)).toBeUndefined();
  });

  it('do not confuse a tenant and a subject that join to the same text', () => {
    const id = ids.mint({ tenant: 'a","b', subject: 'c', scopes: [] });
    expect(ids.verify(id, { tenant: 'a', subject: 'b","c', scopes: [] })).toBeUndefined();
  });

  it.each([undefined, '', '.', 'x.y', 'A'.repeat(10_000), `${'A'.repeat(24)}.${'B'.repeat(43)}`])(
    'refuse the forged %j',
    (id) => {
      expect(ids.verify(id, ann)).toBeUndefined();
    },
  );

  it('refuse an id with one character changed anywhere', () => {
    const id = ids.mint(ann);
    for (let at = 0; at < id.length - 1; at += 1) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
      expect(ids.verify(changed, ann)).toBeUndefined();
    }
  });
});
