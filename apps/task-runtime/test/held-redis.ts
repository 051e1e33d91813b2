import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** The way to a Redis: counts what goes there, and keeps it back while it is told to. */
export async function startHeldRedis(port: number) {
  const sockets = new Set<Socket>();
  const kept: (() => void)[] = [];
  let requests = 0;
  let holding = false;
  let arrived = (): void => {};
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => other.destroy());
    }
    far.pipe(near);
    near.on('data', (chunk) => {
      requests += 1;
      if (!holding) return void far.write(chunk);
      kept.push(() => far.write(chunk));
      arrived();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    /** Resolves when something is kept back. */
    hold(): Promise<void> {
      holding = true;
      return new Promise((resolve) => (arrived = resolve));
    },
    release(): void {
      holding = false;
      for (const pass of kept.splice(0)) pass();
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
