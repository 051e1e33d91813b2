import { describe, expect, it } from '@jest/globals';
import { createLog, type LogOptions } from './log.js';

const logging = (options: Partial<LogOptions> = {}) => {
  const lines: string[] = [];
  const log = createLog({ name: 'front-door', format: 'json', ...options, write: (line) => void lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
};

describe('createLog', () => {
  it('writes one JSON line an event: time, level, service, event, fields', () => {
    const { log, lines, last } = logging();
    log.info('listening', { port: 8080, hosts: ['a', 'b'] });
    log.debug('too fine');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
    expect(last()).toMatchObject({
      level: 'info',
      name: 'front-door',
      event: 'listening',
      port: 8080,
      hosts: ['a', 'b'],
    });
    expect(last()['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('keeps the fields of a child on each of its lines, redacted', () => {
    const { log, last } = logging();
    log.child({ source: 'upstream.files', token: 'hunter2' }).warn('gone', { attempt: 2 });
    expect(last()).toMatchObject({ source: 'upstream.files', token: '[redacted]', attempt: 2 });
  });

  it('takes secrets out, at any depth, by the names of their fields and in text', () => {
    const { log, lines } = logging();
    const hidden = 'hunter2';
    log.error('refused', {
      headers: { Authorization: hidden, cookie: hidden, 'X-Api-Key': hidden, 'x-lease-id': hidden },
      leaseId: hidden,
      lease_id: hidden,
      adminToken: hidden,
      nested: [{ password: { is: hidden } }, { client_secret: hidden }],
      url: `https://user:${hidden}@host/mcp`,
      said: `Authorization: Bearer ${hidden}`,
      error: new Error(`cannot use Bearer ${hidden}`, { cause: new Error(`nats://me:${hidden}@bus`) }),
    });
    expect(lines.join('')).not.toContain(hidden);
    expect(lines[0]).toContain('https://[redacted]@host/mcp');
  });

  it('keeps what only looks secret', () => {
    const { log, last } = logging();
    log.info('call', { lease_ref: '0123456789abcdef', tokens: 12, hasToken: true, apiKey: undefined, key: 'value' });
    expect(last()).toMatchObject({ lease_ref: '0123456789abcdef', tokens: 12, hasToken: true, key: 'value' });
  });

  it('writes an error with its causes and what it carries, and survives circles and giants', () => {
    const { log, lines, last } = logging();
    const root = Object.assign(new TypeError('connect refused'), { code: 'ECONNREFUSED' });
    log.error('failed', { error: new Error('no answer', { cause: root }) });
    expect(last()['error']).toMatchObject({
      type: 'Error',
      message: 'no answer',
      cause: {
        type: 'TypeError',
        message: 'connect refused',
        code: 'ECONNREFUSED',
        stack: expect.stringContaining('log.spec'),
      },
    });

    const circle: Record<string, unknown> = {
      text: 'x'.repeat(1_000_000),
      many: Array.from({ length: 10_000 }, (_, i) => i),
    };
    circle['self'] = circle;
    const itself: Error & { cause?: unknown } = new Error('round');
    itself.cause = itself;
    log.error('hostile', { circle, itself, big: 10n, run: () => 1 });
    expect(lines.at(-1)?.length).toBeLessThan(100_000);
    expect(last()).toMatchObject({ big: '10', run: '[function]' });
  });

  it('writes one pretty line an event, whatever the values hold', () => {
    const { log, lines } = logging({ format: 'pretty' });
    const error = new Error('line one\nline two', { cause: new TypeError('deeper') });
    log.warn('upstream failed', { server: 'files', said: 'two\nlines \u001b[31mred', error });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} warn {2}front-door upstream failed server=files said="two\\nlines \\u001b\[31mred" error="/,
    );
    expect(lines[0]).toContain('caused by TypeError: deeper');
    expect(lines[0]?.match(/[\u0000-\u001f]/g)).toEqual(['\n']);
  });

  it('writes records as it writes events, one line each, and none below its level', () => {
    const { log, lines } = logging();
    const child = log.child({ service: 'x' });
    child.info('call', { a: 1, 'b"': 'two\nlines' });
    child.records('call', [{ a: 1, 'b"': 'two\nlines' }, { a: 2 }]);
    const [event, first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect({ ...first, time: event?.['time'] }).toEqual(event);
    expect(second).toMatchObject({ a: 2, service: 'x', event: 'call' });
    expect(lines).toHaveLength(3);
    const quiet = logging({ level: 'warn' });
    quiet.log.records('call', [{ a: 1 }]);
    expect(quiet.lines).toEqual([]);
    const pretty = logging({ format: 'pretty' });
    pretty.log.records('call', [{ a: 1 }, { a: 2 }]);
    expect(pretty.lines).toHaveLength(2);
  });
});
