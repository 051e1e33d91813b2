import { describe, expect, it } from '@jest/globals';
import { Stop, type StopSignal, abortSignalOf } from './stop-signal.js';

describe('a Stop', () => {
  it('tells each listener once, in order, with its reason kept', () => {
    const stop = new Stop();
    const told: string[] = [];
    stop.addEventListener('abort', () => told.push('first'));
    stop.addEventListener('abort', { handleEvent: () => told.push('second') });
    stop.abort('why');
    stop.abort('again');
    expect([told, stop.aborted, stop.reason]).toEqual([['first', 'second'], true, 'why']);
  });

  it('does not tell who has left, nor who comes too late', () => {
    const stop = new Stop();
    const told: string[] = [];
    const left = () => told.push('left');
    stop.addEventListener('abort', left);
    stop.removeEventListener('abort', left);
    stop.removeEventListener('abort', left);
    stop.abort(1);
    stop.addEventListener('abort', () => told.push('late'));
    expect(told).toEqual([]);
  });

  it('stands in where an AbortSignal may stand too', () => {
    const signals: StopSignal[] = [new Stop(), new AbortController().signal];
    for (const signal of signals) expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
  });

  it('becomes an AbortSignal, before or after it has stopped', () => {
    const stop = new Stop();
    const before = abortSignalOf(stop);
    stop.abort('why');
    expect([before.aborted, before.reason, abortSignalOf(stop).reason]).toEqual([true, 'why', 'why']);
    expect(abortSignalOf(before)).toBe(before);
  });
});
