import { describe, expect, it } from '@jest/globals';
import { Fault, Stop, type StopSignal, type ToolResult } from '@portico/contracts';
import { Flights } from './flights.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A call that ends when it is told to. */
function slowCall() {
  const runs: { signal: StopSignal; end: (result: ToolResult) => void; fail: (error: unknown) => void }[] = [];
  const run = (signal: StopSignal): Promise<ToolResult> =>
    new Promise((end, fail) => {
      runs.push({ signal, end, fail });
      signal.addEventListener('abort', () => fail(new Fault('CANCELLED', 'It was stopped.')));
    });
  return { runs, run };
}

describe('[SC-11] a call that many ask for', () => {
  it('runs once, and what it gives is frozen to the bottom, the same for all', async () => {
    const flights = new Flights();
    const { runs, run } = slowCall();
    const asked = [1, 2, 3].map(() => flights.join('k', new Stop(), run));
    const elsewhere = flights.join('other', new Stop(), run);
    expect(runs).toHaveLength(2);
    for (const { end } of runs) end({ content: [{ type: 'text', text: 'a', annotations: { audience: ['user'] } }] });
    const [one, two, three] = await Promise.all(asked);
    expect(two).toBe(one);
    expect(three).toBe(one);
    const block = one!.content![0] as unknown as { text: string; annotations: { audience: string[] } };
    expect(() => (block.text = 'b')).toThrow(TypeError);
    expect(() => block.annotations.audience.push('assistant')).toThrow(TypeError);
    await elsewhere;
    // It has ended: who asks now asks anew.
    expect(flights.has('k')).toBe(false);
  });

  it('fails for all at once, and is run again by none', async () => {
    const flights = new Flights();
    const { runs, run } = slowCall();
    const asked = [1, 2, 3].map(() => flights.join('k', new Stop(), run));
    runs[0]!.fail(new Fault('CONFLICT', 'No.'));
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
    await turn();
    expect([runs.length, flights.has('k')]).toEqual([1, false]);
  });

  it('goes on when who asked first leaves, and is stopped by the last who does', async () => {
    const flights = new Flights();
    const { runs, run } = slowCall();
    const [leader, second, third] = [new Stop(), new Stop(), new Stop()];
    const asked = [leader, second, third].map((signal) => flights.join('k', signal, run));
    const ends = Promise.allSettled(asked);
    leader.abort('It left.');
    await expect(asked[0]).rejects.toMatchObject({ code: 'CANCELLED' });
    second.abort('It left.');
    expect(runs[0]!.signal.aborted).toBe(false);
    third.abort('It left.');
    expect([runs[0]!.signal.aborted, flights.has('k')]).toEqual([true, false]);
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
