import { describe, expect, it } from '@jest/globals';
import { CONTEXT_HEADERS } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import { contextHeaders, readContext } from './context-headers.js';

const across = (context: CallContext, fence?: string): CallContext | undefined => {
  const lines = new Map(contextHeaders(context));
  if (fence !== undefined) lines.set(CONTEXT_HEADERS.leaseFence, fence);
  for (const value of lines.values()) expect(value).not.toMatch(/[\r\n]/);
  return readContext((name) => lines.get(name));
};

describe('context headers', () => {
  it.each<CallContext>([
    { correlationId: 'a', principal: { tenant: 't', subject: 's' } },
    { correlationId: 'a', principal: { tenant: '', subject: '' } },
    { correlationId: 'a', principal: { tenant: 'a b: c', subject: 'ключ\u0000\r\n%' }, leaseFence: 0 },
    {
      correlationId: 'a',
      principal: { tenant: 't', subject: 's' },
      taskId: 'x:1',
      agent: 'b',
      leaseRef: 'c',
      // Microseconds since 1970, as leases count.
      leaseFence: 1_796_000_000_123_456,
    },
    { correlationId: 'a', principal: { tenant: 't', subject: 's' }, leaseFence: Number.MAX_SAFE_INTEGER },
  ])('bring the context across unchanged', (context) => {
    expect(across(context)).toEqual(context);
  });

  it('leave out what is malformed', () => {
    const principal = { tenant: 't', subject: 's' };
    expect(across({ correlationId: 'a', taskId: 'b c', leaseFence: 1.5, traceparent: 'garbage', principal })).toEqual({
      correlationId: 'a',
      principal,
    });
  });

  it('are no context without an id or a principal', () => {
    expect(across({ correlationId: '', principal: { tenant: 't', subject: 's' } })).toBeUndefined();
    expect(across({ correlationId: 'a', principal: { tenant: '\udfff', subject: 's' } })).toBeUndefined();
    expect(readContext(() => undefined)).toBeUndefined();
  });

  it('have no fence that is no whole number, or one that loses digits', () => {
    const principal = { tenant: 't', subject: 's' };
    for (const fence of ['9007199254740993', '12345678901234567', '1e3', '-1', '0x1', ' 1'])
      expect(across({ correlationId: 'a', principal }, fence)).toEqual({ correlationId: 'a', principal });
  });
});
