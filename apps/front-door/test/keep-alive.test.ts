import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { echoDomain } from './echo-domain.js';
import { listen } from './listen.js';
import { type OpenDoor, openDoor, requestOf } from './open-door.js';

/** What the front door waits before it says that it is still there. */
const INTERVAL_MS = 15_000;

/** Intervals, and the clock that they are compared with, go as the test says; all else is real. */
const INTERVALS: Parameters<typeof jest.useFakeTimers>[0] = {
  doNotFake: [
    'setTimeout',
    'clearTimeout',
    'setImmediate',
    'clearImmediate',
    'nextTick',
    'queueMicrotask',
    'Date',
    'hrtime',
  ],
};

let door: OpenDoor | undefined;
afterEach(async () => {
  jest.useRealTimers();
  await door?.close();
});
const heard = async (condition: () => boolean): Promise<void> => {
  for (const end = Date.now() + 5_000; !condition();) {
    if (Date.now() > end) throw new Error('It was not heard.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe('a connection on which nothing is said for long', () => {
  it('[SS-6] hears comments on a subscription, and nothing else', async () => {
    jest.useFakeTimers(INTERVALS);
    door = await openDoor();
    const stream = await listen(door.url, { toolsListChanged: true });
    expect(stream.text()).not.toMatch(/^:/m);
    jest.advanceTimersByTime(INTERVAL_MS + 1);
    await heard(() => /^:.*\n\n/m.test(stream.text()));
    jest.advanceTimersByTime(INTERVAL_MS + 1);
    await heard(() => (stream.text().match(/^:/gm) ?? []).length === 2);
    expect(stream.messages).toHaveLength(1);
    stream.close();
  });

  it('hears them while a call runs, when it takes event streams', async () => {
    jest.useFakeTimers(INTERVALS);
    door = await openDoor();
    const demo = echoDomain();
    await door.serve(demo.domain);
    await door.rpc('tools/list');
    const call = async (accept: string) => {
      const { body, headers } = requestOf('tools/call', { name: 'demo.waits' });
      const response = await fetch(`${door?.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: accept, ...headers },
        body: JSON.stringify(body),
      });
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const before = demo.calls.length;
    const [streamed, plain] = [call('application/json, text/event-stream'), call('application/json')];
    await heard(() => demo.calls.length === before + 2);
    jest.advanceTimersByTime(INTERVAL_MS + 1);
    demo.release();
    const { type, text } = await streamed;
    expect(type).toBe('text/event-stream');
    expect(text).toMatch(/^: keep-alive\n\nevent: message\ndata: \{.*"done".*\}\n\n$/);
    expect((await plain).type).toBe('application/json');
  });
});
