import { connect, createServer } from 'node:net';

/** A piece of network in between, that can be slow or cut. @param {number} target port of a server on the loopback */
export const startWire = async (target) => {
  let delayMs = 0;
  let isCut = false;
  const sockets = /** @type {Set<import('node:net').Socket>} */ (new Set());
  /** @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
  const carry = (from, to) => {
    // Each piece waits as long as those before it, so that none overtakes another.
    let free = 0;
    from.on('data', (piece) => {
      const at = Math.max(free, performance.now() + delayMs);
      free = at;
      const wait = at - performance.now();
      if (wait <= 0) to.write(piece);
      else setTimeout(() => to.writable && to.write(piece), wait);
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };
  const server = createServer((inner) => {
    if (isCut) return inner.destroy();
    const outer = connect(target, '127.0.0.1');
    for (const socket of [inner, outer]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    carry(inner, outer);
    carry(outer, inner);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    slow: (/** @type {number} */ ms) => void (delayMs = ms),
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => {
      delayMs = 0;
      isCut = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
