import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { FAULT_CODES } from '@portico/contracts';
import { REVISION } from '../message.mjs';
import { CALL_TIMEOUT_SECS } from './system.mjs';

/** Callers in a closed loop over two front doors, and a note of what became of each call. */

const ANSWER_LIMIT_MS = (CALL_TIMEOUT_SECS + 30) * 1_000;
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** One turn of a caller: half of it writes; the read is one that the cache answers. */
const TURN = ['ledger.append', 'ledger.read', 'ledger.append', 'task.status', 'ledger.append', 'dagger.list_runs'];

/**
 * `ok`, or a failure: `typed` is one that says what it is; `untyped` is none such; `held` is a connection that ended with
 * the front door that held it; `silent` was never answered.
 * @typedef {{ readonly kind: string, readonly line: string, readonly begunAt: number, readonly ms: number,
 *   readonly outcome: 'ok' | 'typed' | 'untyped' | 'held' | 'silent', readonly code?: string, readonly executed?: string }} Outcome
 * @typedef {{ readonly mcp?: string, readonly diedAt?: number }} Door
 * @typedef {{ readonly at: Door, parted(): void }} Way a front door, and what to do when it says that it will be gone
 */

/** @param {string} tool @param {string} line */
const argumentsOf = (tool, line) => {
  if (tool === 'task.status') return { resource: `line:${line}` };
  return tool === 'dagger.list_runs' ? {} : { line };
};

/** What an answer says of the call. @param {string} body @returns {Pick<Outcome, 'outcome' | 'code' | 'executed'>} */
const judged = (body) => {
  try {
    // An answer that took long is an event at the end of a stream.
    const { result, error } = JSON.parse(body.slice(body.lastIndexOf('\ndata: {') + 1).replace(/^data: /, ''));
    if (result?.isError === false || (result !== undefined && result.isError === undefined)) return { outcome: 'ok' };
    if (result === undefined) {
      const typed = Number.isInteger(error.code) && typeof error.message === 'string';
      return { outcome: typed ? 'typed' : 'untyped', code: String(error.code), executed: error.data?.executed };
    }
    // The envelope stands in the last text too, whatever else there is.
    const { code, executed } = JSON.parse(result.content.at(-1).text).error;
    return { outcome: FAULT_CODES.includes(code) ? 'typed' : 'untyped', code, executed };
  } catch {
    return { outcome: 'untyped', code: `not understood: ${body.slice(0, 200)}` };
  }
};

/**
 * One call. Resolves to undefined when the front door took no connection: then nothing was sent.
 * @param {Agent} agent @param {Way} door @param {string} tool @param {string} line @returns {Promise<Outcome | undefined>}
 */
const call = (agent, door, tool, line) => {
  const begunAt = performance.now();
  const params = { name: tool, arguments: argumentsOf(tool, line), _meta: META };
  return new Promise((resolve) => {
    const end = (/** @type {Pick<Outcome, 'outcome' | 'code' | 'executed'>} */ how) =>
      resolve({ kind: tool, line, begunAt, ms: performance.now() - begunAt, ...how });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    };
    const sent = request(/** @type {string} */ (door.at.mcp), { method: 'POST', agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      if (response.headers.connection === 'close') door.parted();
      response.on('data', (piece) => (body += piece));
      response.on('end', () => end(response.complete ? judged(body) : broken('cut')));
      response.on('error', (error) => end(broken(error.message)));
    });
    const broken = (/** @type {string} */ code) =>
      /** @type {const} */ ({ outcome: (door.at.diedAt ?? -1) >= begunAt ? 'held' : 'untyped', code });
    sent.setTimeout(ANSWER_LIMIT_MS, () => (end({ outcome: 'silent' }), sent.destroy()));
    sent.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ECONNREFUSED') resolve(undefined);
      else end(broken(error.code ?? error.message));
    });
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: line, method: 'tools/call', params }));
  });
};

let lines = 0;

/** Starts callers; `stop` resolves to what became of every call, once each has an answer. @param {readonly Door[]} doors @param {number} count */
export const startCallers = (doors, count) => {
  const outcomes = /** @type {Outcome[]} */ ([]);
  let going = true;
  const caller = async (/** @type {number} */ number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let door = number;
    for (let turn = number; going; turn++) {
      const tool = TURN[turn % TURN.length];
      const line = tool === 'ledger.read' ? `known ${turn % 3}` : `line ${lines++}`;
      // As a load balancer does: on to the next when one says that it goes, or is gone.
      const at = doors[door % doors.length];
      let next = door;
      const outcome = await call(agent, { at, parted: () => void (next = door + 1) }, tool, line);
      door = next;
      if (outcome) outcomes.push(outcome);
      else {
        door++;
        await delay(20);
      }
    }
    agent.destroy();
  };
  const ended = Promise.all(Array.from({ length: count }, (_, number) => caller(number)));
  return {
    outcomes,
    async stop() {
      going = false;
      await ended;
      return outcomes;
    },
  };
};
