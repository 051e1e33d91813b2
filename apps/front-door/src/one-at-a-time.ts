import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The answer that a connection is busy with. On the socket itself: one is looked at for every request. */
const BUSY = Symbol('busy');
type BusySocket = Socket & { [BUSY]?: ServerResponse };

/**
 * Handles the requests of one connection one after the other. Node hands over every request that it finds in what a client
 * sent at once, and would hold all their answers for a client that reads none of them.
 */
export function oneAtATime(req: IncomingMessage, res: ServerResponse, handle: () => void): void {
  const socket: BusySocket = req.socket;
  const before = socket[BUSY];
  socket[BUSY] = res;
  if (before === undefined || before.writableFinished || before.destroyed) return handle();
  before.once('close', () => {
    if (!socket.destroyed) handle();
  });
}
