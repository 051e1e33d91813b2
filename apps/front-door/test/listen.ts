import { request } from 'node:http';
import { requestOf } from './open-door.js';

export interface Listening {
  /** Every message so far. */
  readonly messages: any[]; // eslint-disable-line @typescript-eslint/no-explicit-any -- messages are asserted, not typed
  /** Everything so far, comments included. */
  text(): string;
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens a `subscriptions/listen` stream, and resolves once it has been acknowledged. */
export async function listen(
  url: string,
  notifications: Record<string, unknown>,
  id: string | number = 'sub',
  more: Record<string, string> = {},
): Promise<Listening> {
  const { body, headers } = requestOf('subscriptions/listen', { notifications }, { id });
  const messages: unknown[] = [];
  let text = '';
  let acknowledged = (): void => undefined;
  const first = new Promise<void>((resolve) => (acknowledged = resolve));
  let over = (): void => undefined;
  const ended = new Promise<void>((resolve) => (over = resolve));
  const req = request(`${url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers, ...more },
  });
  req.on('response', (res) => {
    let rest = '';
    res.setEncoding('utf8');
    res.on('data', (chunk: string) => {
      text += chunk;
      rest += chunk;
      const events = rest.split('\n\n');
      rest = events.pop() as string;
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) messages.push(JSON.parse(data.slice(6)));
      }
      if (messages.length > 0) acknowledged();
    });
    res.once('close', over);
  });
  req.on('error', over);
  req.end(JSON.stringify(body));
  await Promise.race([first, ended]);
  return { messages, text: () => text, ended, close: () => req.destroy() };
}
