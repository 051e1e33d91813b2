import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import * as contracts from '@portico/contracts';
import { z } from 'zod';
import { breaksOf } from '../scripts/contract-breaks.js';
import { type Frozen, frozenOf } from '../scripts/frozen-contracts.js';

const folder = join(import.meta.dirname, '../packages/contracts/released');
const releases = readdirSync(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
const read = (file: string): Frozen => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Frozen;
const last = read(releases.at(-1) ?? 'none');
const { sourceHello, guardLease, lookUpAnswer, discoverSource, callTool } = contracts;
const { FaultRecord, SourceHealth, Notice } = contracts;

/** What the present contracts would be after a change. */
const changed = (change: Record<string, unknown>): Record<string, unknown> => ({ ...contracts, ...change });

describe('[OP-9] the contracts beside those of the last release', () => {
  it.each(releases)('fit each other both ways: %s', (file) => {
    expect(breaksOf(read(file), contracts)).toEqual([]);
  });

  it('are frozen whole: every conversation, every word, and a message for each', () => {
    expect(Object.keys(last.effects)).toEqual(expect.arrayContaining(Object.keys(frozenOf(contracts).effects)));
    const sent = Object.keys(last.effects).flatMap((subject) =>
      last.effects[subject] === 'told' ? [`${subject} payload`] : [`${subject} request`, `${subject} reply`],
    );
    for (const shape of sent) expect(last.shapes[shape]?.samples).not.toHaveLength(0);
    expect(last.words).toHaveProperty('FAULT_CODES');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a subject that is gone', { sourceHello: undefined }, 'source.hello was told and is gone.'],
    [
      'a subject that is renamed',
      { guardLease: { ...guardLease, subject: 'task.guard' } },
      'task.guard-lease request is gone.',
    ],
    [
      'a field that is gone',
      { sourceHello: { ...sourceHello, payload: sourceHello.payload.omit({ version: true }) } },
      'source.hello payload.version is gone.',
    ],
    [
      'a new required field of a request',
      { guardLease: { ...guardLease, request: guardLease.request.extend({ zone: z.string() }) } },
      'task.guard-lease request refuses what was sent',
    ],
    [
      'a new required field of a reply',
      { discoverSource: { ...discoverSource, reply: z.object({ zone: z.string() }).and(discoverSource.reply) } },
      'discovery.source reply',
    ],
    [
      'a field that may be missing now',
      { sourceHello: { ...sourceHello, payload: sourceHello.payload.partial({ configuration: true }) } },
      'source.hello payload sends what was refused',
    ],
    [
      'a field that must be there now',
      { FaultRecord: FaultRecord.required({ unserved: true }) },
      'FaultRecord refuses what was sent',
    ],
    [
      'a field of another type',
      { guardLease: { ...guardLease, request: guardLease.request.extend({ keepMs: z.string() }) } },
      'task.guard-lease request.keepMs: type was "integer" and is "string".',
    ],
    [
      'a narrower limit',
      { guardLease: { ...guardLease, request: guardLease.request.extend({ leaseId: z.string().min(1).max(8) }) } },
      'task.guard-lease request.leaseId: maxLength was 256 and is 8.',
    ],
    [
      'a code that is gone',
      { FAULT_CODES: contracts.FAULT_CODES.filter((code) => code !== 'CONFLICT') },
      'FAULT_CODES was',
    ],
    [
      'a member of a choice that is gone',
      { SourceHealth: SourceHealth.extend({ state: z.enum(['up', 'down']) }) },
      'SourceHealth.state: enum has "degraded" no more.',
    ],
    [
      'a member of a choice that no reader knows yet',
      { SourceHealth: SourceHealth.extend({ state: z.enum(['up', 'degraded', 'down', 'asleep']) }) },
      'SourceHealth sends what was refused',
    ],
    ['a reader that takes no unknown field', { Notice: z.strictObject(Notice.shape) }, 'Notice refuses what was sent'],
    [
      'unknown fields that are not passed on',
      { ToolDefinition: z.object(contracts.ToolDefinition.shape) },
      'ToolDefinition: additionalProperties was {}',
    ],
    [
      'an effect that is another',
      { lookUpAnswer: { ...lookUpAnswer, effect: 'write' } },
      'semantic-cache.look-up was read and is write.',
    ],
    ['a word of the wire', { LEASE_REF_META_KEY: 'portico/lease' }, 'LEASE_REF_META_KEY was "portico/lease-ref"'],
    [
      'a check by hand that is left out',
      { callTool: (at: '*') => ({ ...callTool(at as never), request: z.custom(() => true) }) },
      '*.call-tool request takes what it refused',
    ],
  ])('would say so of %s', (_what, change, sentence) => {
    expect(breaksOf(last, changed(change)).join('\n')).toContain(sentence);
  });

  it('may grow: a field that may be missing, and a further conversation', () => {
    const payload = sourceHello.payload.extend({ zone: z.string().optional() });
    const asleep = { subject: 'source.asleep', payload: z.object({}) };
    expect(breaksOf(last, changed({ sourceHello: { ...sourceHello, payload }, asleep }))).toEqual([]);
  });

  it('may be others in another major version, which hello says', () => {
    expect(breaksOf(last, changed({ CONTRACTS_VERSION: '2.0', sourceHello: undefined }))).toEqual([]);
    expect(last.shapes['source.hello payload']?.schema).toHaveProperty('properties.contracts');
    expect(last.contracts.split('.')[0]).toBe(contracts.CONTRACTS_VERSION.split('.')[0]);
  });

  it('let a message with unknown fields through the bus, without them', async () => {
    const bus = await connectBus({ url: 'memory:', name: 'test' });
    try {
      const heard: unknown[] = [];
      await bus.listen(sourceHello, (hello) => void heard.push(hello));
      const [sample] = last.shapes['source.hello payload']?.samples ?? [];
      const later = { ...(sample as contracts.PayloadOf<typeof sourceHello>), contracts: '1.9', zone: 'west' };
      bus.tell(sourceHello, later);
      while (heard.length === 0) await new Promise((next) => setTimeout(next, 5));
      expect(heard).toEqual([{ ...(sample as object), contracts: '1.9' }]);
    } finally {
      await bus.close();
    }
  });
});
