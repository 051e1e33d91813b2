import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hostileRequests } from './hostile-requests.js';
import type { HostileRequest } from './hostile-requests.js';
import { RAW_ATTACKS } from './raw-attacks.js';

function digest(requests: Iterable<HostileRequest>): string {
  const hash = createHash('sha256');
  for (const request of requests) {
    if (request.kind === 'http')
      hash.update(JSON.stringify([request.verb, request.path, request.headers])).update(request.body);
    else for (const piece of request.pieces) hash.update(request.name).update(piece);
  }
  return hash.digest('hex');
}

describe('hostileRequests', () => {
  it('gives the same requests for the same seed, and others for another', () => {
    const [one, same, other] = [7, 7, 8].map((seed) => digest(hostileRequests(seed, 300)));
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });

  it('comes round to every raw attack', () => {
    const names = new Set(
      [...hostileRequests(1, RAW_ATTACKS.length * 20)].flatMap((it) => (it.kind === 'raw' ? [it.name] : [])),
    );
    expect(names.size).toBe(RAW_ATTACKS.length);
  });

  it('mixes bodies that are JSON, bodies that are not, and bodies that are no text', () => {
    const bodies = [...hostileRequests(1, 2_000)].flatMap((it) => (it.kind === 'http' ? [it.body] : []));
    const isJson = (body: Buffer) => {
      try {
        JSON.parse(body.toString('utf8'));
        return true;
      } catch {
        return false;
      }
    };
    const json = bodies.filter(isJson).length;
    expect(json).toBeGreaterThan(bodies.length * 0.3);
    expect(json).toBeLessThan(bodies.length * 0.9);
    expect(bodies.filter((body) => body.toString('utf8').includes('\ufffd')).length).toBeGreaterThan(20);
  });
});
