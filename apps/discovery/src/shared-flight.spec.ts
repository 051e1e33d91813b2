import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import type { SourceCatalogue } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { openSharedState } from '@portico/storage';
import type { SharedState } from '@portico/storage';
import { SharedFlight, flightKey } from './shared-flight.js';
import type { Flight } from './shared-flight.js';

const log = createLog({ name: 'discovery', level: 'silent' });
const found = (revision: string): SourceCatalogue => ({
  revision,
  identity: {
    description: '',
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: {},
    mount: 'namespace',
    callTimeoutMs: 1,
  },
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
});
const revisionIn = (outcome: { found: object }): unknown =>
  'catalogue' in outcome.found ? (outcome.found.catalogue as SourceCatalogue).revision : outcome.found;

let state: SharedState;
beforeEach(async () => {
  state = await openSharedState('memory:');
});
afterEach(() => state.close());
const flight = (more: Partial<Flight> = {}): Flight => ({
  key: flightKey('upstream.a', 'c'),
  deadlineMs: 5_000,
  keepMs: 60_000,
  known: undefined,
  mustBeNew: false,
  signal: new AbortController().signal,
  ...more,
});

describe('[DI-4] SharedFlight', () => {
  it('lets one of many probe, and gives all what it found', async () => {
    let probes = 0;
    const probe = async () => {
      await delay(50);
      return found(`r${++probes}`);
    };
    const replicas = Array.from({ length: 20 }, () => new SharedFlight(state, log));
    const outcomes = await Promise.all(replicas.map((replica) => replica.run(flight(), probe)));
    expect(outcomes.map(revisionIn)).toEqual(Array.from({ length: 20 }, () => 'r1'));
    expect(probes).toBe(1);
  });

  it('takes up what is there, unless it is known already or must be new', async () => {
    const [one, two] = [new SharedFlight(state, log), new SharedFlight(state, log)];
    const first = await one.run(flight(), async () => found('r1'));
    expect(revisionIn(await two.run(flight(), async () => found('r2')))).toBe('r1');
    expect(revisionIn(await two.run(flight({ known: first.id }), async () => found('r3')))).toBe('r3');
    expect(revisionIn(await one.run(flight({ mustBeNew: true }), async () => found('r4')))).toBe('r4');
  });

  it('waits for another no longer than it may, and ends with its signal', async () => {
    await state.setIfAbsent(`discovery:lock:${flight().key}`, 'another', { ttlMs: 60_000 });
    const waiting = new SharedFlight(state, log);
    await expect(waiting.run(flight({ deadlineMs: 50 }), async () => found('r'))).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    const stop = new AbortController();
    const ended = waiting.run(flight({ signal: stop.signal }), async () => found('r'));
    stop.abort(new Fault('CANCELLED', 'The service stops.'));
    await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('keeps its lock as long as its probe lasts, and then lets go', async () => {
    const one = new SharedFlight(state, log);
    await one.run(flight(), async () => {
      await delay(6_000);
      expect(await state.get(`discovery:lock:${flight().key}`)).toBeDefined();
      return found('r');
    });
    expect(await state.get(`discovery:lock:${flight().key}`)).toBeUndefined();
  }, 15_000);

  it('ignores what it can not read', async () => {
    await state.set(`discovery:outcome:${flight().key}`, '{"id":', { ttlMs: 60_000 });
    expect(revisionIn(await new SharedFlight(state, log).run(flight(), async () => found('r')))).toBe('r');
  });
});

describe('[DI-9] flightKey', () => {
  it('keeps sources, configurations and authorization contexts apart', () => {
    const other = 'another' as unknown as 'gateway';
    const keys = [
      flightKey('upstream.a', 'c'),
      flightKey('upstream.b', 'c'),
      flightKey('upstream.a', 'd'),
      flightKey('upstream.a', 'c', other),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(flightKey('upstream.a', 'c')).toBe(flightKey('upstream.a', 'c', 'gateway'));
  });
});
