import { describe, expect, it } from '@jest/globals';
import { REVISIONS } from './compose.js';
import { oracleRequests } from './oracle-requests.js';

describe('oracleRequests', () => {
  it('gives the same requests for the same seed, each under a name of its own', () => {
    const requests = oracleRequests(1);
    expect(oracleRequests(1)).toEqual(requests);
    expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length);
    expect(requests.length).toBeGreaterThan(400);
  });

  it.each(REVISIONS)('has more than a hundred for %s', (revision) => {
    expect(oracleRequests(1).filter(({ name }) => name.startsWith(revision)).length).toBeGreaterThan(100);
  });
});
