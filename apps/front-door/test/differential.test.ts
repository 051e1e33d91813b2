import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  INTENDED_DIFFERENCES,
  ORACLE_BACKEND,
  ORACLE_CATALOGUE,
  askedOfSdk,
  compareAnswers,
  exchange,
  oracleRequests,
  startOracle,
} from '@portico/testkit';
import type { Oracle } from '@portico/testkit';
import { LEGACY_REVISIONS } from '../src/protocol-revisions.js';
import { INSTRUCTIONS, SERVER_INFO, capabilitiesFor } from '../src/server-info.js';
import { openOracleDoor } from './oracle-door.js';

const SEED = 20_260_728;

describe('[FD-1][FD-2][FD-3] the front door beside a server that is nothing but the official SDK', () => {
  let door: Awaited<ReturnType<typeof openOracleDoor>>;
  let oracle: Oracle;

  beforeAll(async () => {
    door = await openOracleDoor(ORACLE_CATALOGUE, ORACLE_BACKEND);
    oracle = await startOracle(ORACLE_CATALOGUE, ORACLE_BACKEND, {
      serverInfo: SERVER_INFO,
      instructions: INSTRUCTIONS,
      capabilities: capabilitiesFor,
      legacyRevisions: LEGACY_REVISIONS,
      listTtlMs: 300_000,
    });
  });
  afterAll(async () => {
    await Promise.all([door.close(), oracle.close()]);
  });

  it('answers several hundred requests, good, bad and hostile, as the SDK does or otherwise on purpose', async () => {
    const requests = oracleRequests(SEED);
    expect(requests.length).toBeGreaterThan(400);
    const different: unknown[] = [];
    const met = new Set<string>();
    let plainlySame = 0;
    for (const request of requests) {
      const [front, sdk] = await Promise.all([exchange(door.url, request), exchange(oracle.url, askedOfSdk(request))]);
      const comparison = compareAnswers(request, { front, sdk });
      for (const name of comparison.intended) met.add(name);
      if (comparison.different) different.push(comparison.different);
      else if (comparison.intended.length === 0) plainlySame += 1;
    }
    expect(different).toEqual([]);
    expect(plainlySame).toBeGreaterThan(400);
    // A difference that no request meets is either gone or was never tested.
    expect(INTENDED_DIFFERENCES.map(({ name }) => name).filter((name) => !met.has(name))).toEqual([]);
  }, 120_000);
});
