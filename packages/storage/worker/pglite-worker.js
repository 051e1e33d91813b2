import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

/**
 * PGlite in a thread of its own, because it blocks the loop that it runs on. It speaks PostgreSQL's own protocol with `pg`
 * on the main thread: bytes in, bytes out, in order. This file is plain JavaScript since a thread runs what it is given,
 * in tests too. `folder` is absent for a database in memory.
 *
 * @type {{ folder?: string }}
 */
const { folder } = workerData;
const TERMINATE = 'X'.charCodeAt(0);
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** A first start that is broken off leaves a folder that no later start can use; nothing is in it yet. */
const making = folder === undefined ? undefined : `${folder}.making`;
if (folder !== undefined && making !== undefined) {
  if (existsSync(making)) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(folder)) writeFileSync(making, '', { mode: 0o600 });
}
const database = await PGlite.create(folder ?? 'memory://', { extensions: { vector } });
if (making !== undefined) rmSync(making, { force: true });

let received = Buffer.alloc(0);
/** The first message has no letter before its length. */
let headerBytes = 4;
let work = Promise.resolve();

port.on('message', (/** @type {Uint8Array} */ bytes) => {
  work = work.then(() => take(bytes));
});
port.postMessage('ready');

/** @param {Uint8Array} bytes */
async function take(bytes) {
  received = received.length === 0 ? Buffer.from(bytes) : Buffer.concat([received, bytes]);
  while (received.length >= headerBytes) {
    const length = received.readInt32BE(headerBytes - 4) + headerBytes - 4;
    if (received.length < length) return;
    const message = received.subarray(0, length);
    received = received.subarray(length);
    if (headerBytes === 5 && message[0] === TERMINATE) return end();
    headerBytes = 5;
    await database.execProtocolRawStream(message, { onRawData: send });
  }
}

/** @param {Uint8Array} data in the database's own memory: only a copy can leave */
function send(data) {
  const copy = new Uint8Array(data);
  port.postMessage(copy, [copy.buffer]);
}

async function end() {
  await database.close();
  port.close();
}
