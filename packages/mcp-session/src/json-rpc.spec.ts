import { describe, expect, it } from '@jest/globals';
import { answerTo, replyTo } from './json-rpc.js';

describe('answerTo', () => {
  const base = { jsonrpc: '2.0', id: 3 };
  it('takes a result, and an error with or without an id', () => {
    expect(answerTo(3, { ...base, result: { a: 1 } })).toEqual({ result: { a: 1 } });
    const error = { code: -32603, message: 'no', data: [1] };
    expect(answerTo(3, { ...base, error })).toEqual({ error });
    expect(answerTo(3, { jsonrpc: '2.0', id: null, error: { code: 1 } })).toEqual({ error: { code: 1, message: '' } });
  });

  it.each([
    null,
    [],
    'text',
    { id: 3, result: {} },
    { ...base, id: '3', result: {} },
    { ...base, id: 4, result: {} },
    { ...base, id: null, result: {} },
    { ...base, result: [] },
    { ...base, result: {}, error: { code: 1, message: '' } },
    { ...base, error: 'text' },
    { ...base, error: { code: 1.5, message: '' } },
    { ...base, method: 'ping', result: {} },
    base,
  ])('takes %j for none', (message) => {
    expect(answerTo(3, message)).toBeUndefined();
  });
});

describe('replyTo', () => {
  it('answers a ping, and offers nothing else', () => {
    expect(JSON.parse(replyTo({ id: 'a', method: 'ping' }))).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
    expect(JSON.parse(replyTo({ id: 0, method: 'sampling/createMessage' }))).toMatchObject({
      id: 0,
      error: { code: -32601 },
    });
  });
});
