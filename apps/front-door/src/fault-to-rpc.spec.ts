import { describe, expect, it } from '@jest/globals';
import { FAULT_CODES, Fault } from '@portico/contracts';
import { HOSTILE } from '../test/backend-messages.js';
import { faultAnswer, faultToRpc } from './fault-to-rpc.js';

const withRpc = (code: number, data?: unknown) =>
  new Fault('UNKNOWN_ERROR', 'ours', { rpc: { code, message: 'theirs at 10.0.0.1', data } });

describe('[FD-12][FD-21] a fault that ends a tools/call', () => {
  it.each(FAULT_CODES)('%s: a JSON-RPC error only for a name that leads to no tool', (code) => {
    const rpc = faultToRpc(new Fault(code, 'why'));
    if (code === 'UNKNOWN_TOOL' || code === 'AMBIGUOUS_TOOL')
      expect(rpc).toEqual({ kind: 'error', status: 200, code: -32602, message: 'why', data: { code } });
    else expect(rpc).toBeUndefined();
  });

  it('passes on which capability the client has to declare, and nothing else of that', () => {
    const requiredCapabilities = { sampling: {} };
    expect(faultToRpc(withRpc(-32021, { requiredCapabilities, secret: 'x' }))).toEqual({
      kind: 'error',
      status: 400,
      code: -32021,
      message: 'theirs at [host]',
      data: { requiredCapabilities },
    });
    expect(faultToRpc(withRpc(-32021, 'odd'))).not.toHaveProperty('data');
  });

  it('passes on that an answer to a source’s question was refused, and only that', () => {
    expect(faultToRpc(withRpc(-32602, { at: 'http://10.0.0.1/x' }), { retry: true })).toEqual({
      kind: 'error',
      status: 200,
      code: -32602,
      message: 'theirs at [host]',
      data: { at: '[url]' },
    });
    expect(faultToRpc(withRpc(-32602))).toBeUndefined();
    expect(faultToRpc(withRpc(-32602), { retry: false })).toBeUndefined();
  });

  it.each([-32603, -32600, -32601, -32700, -32000, -32002, -32020, -32022, -32042, 7, 2 ** 31])(
    'tells nothing of a source’s own %d: that is about our hop',
    (code) => expect(faultToRpc(withRpc(code), { retry: true })).toBeUndefined(),
  );
});

describe('[FD-22][FD-31] a fault that ends a prompt, a read or a completion', () => {
  it.each(FAULT_CODES)('%s: an error with our code in data, never in the ranges that MCP reserves', (code) => {
    const answer = faultAnswer(new Fault(code, 'why', { retryAfterMs: 10.5 }), { uri: 'x://y' });
    expect(answer).toMatchObject({
      kind: 'error',
      status: 200,
      message: 'why',
      data: { code, uri: 'x://y', retry_after_ms: 11 },
    });
    if (answer.kind !== 'error') throw new Error('not an error');
    const known = answer.code === -32602 || answer.code === -32603;
    expect(known || answer.code > 0).toBe(true);
  });

  it.each(['INVALID_ARGUMENTS', 'NOT_FOUND', 'UNKNOWN_TOOL', 'AMBIGUOUS_TOOL'] as const)(
    '%s is the caller’s: -32602',
    (code) => expect(faultAnswer(new Fault(code, 'why'))).toMatchObject({ code: -32602, data: { code } }),
  );

  it('relays as a tools/call does', () => {
    expect(faultAnswer(withRpc(-32021, { requiredCapabilities: {} }))).toMatchObject({ code: -32021, status: 400 });
    expect(faultAnswer(withRpc(-32602), { retry: true })).toMatchObject({ code: -32602, message: 'theirs at [host]' });
    expect(faultAnswer(withRpc(-32002))).toMatchObject({ code: -32603, message: 'ours' });
  });

  it.each(HOSTILE)('[FD-23] shows nothing of the inside: %j', (message, ...secrets) => {
    const fault = new Fault('NOT_FOUND', message, {
      rpc: { code: -32602, message, data: { message, each: [message] } },
    });
    for (const secret of secrets) {
      expect(JSON.stringify(faultAnswer(fault))).not.toContain(secret);
      expect(JSON.stringify(faultAnswer(fault, { retry: true }))).not.toContain(secret);
    }
  });
});
