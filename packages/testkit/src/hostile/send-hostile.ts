import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostileHttp, HostileRaw, HostileRequest } from './hostile-requests.js';

/** How the server took it: the answers it gave, none when it just closed the connection. */
export interface HostileOutcome {
  readonly answers: readonly { readonly status: number; readonly body: string }[];
}

/** An answer to well-framed HTTP may take so long, and raw bytes are waited on so long after the server falls silent. */
const ANSWER_TIMEOUT_MS = 30_000;
const SILENCE_MS = 150;

/** Sends hostile requests to one server, well-framed ones over few kept connections. Close it at the end. */
export class HostileSender {
  readonly #agent: Agent;
  readonly #url: URL;

  constructor(url: string, connections: number) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  send(request: HostileRequest): Promise<HostileOutcome> {
    return request.kind === 'http' ? this.#http(request) : this.#raw(request);
  }

  close(): void {
    this.#agent.destroy();
  }

  #http({ verb, path, headers, body }: HostileHttp): Promise<HostileOutcome> {
    const { hostname, port } = this.#url;
    return new Promise((resolve, reject) => {
      const sent = { ...headers, 'Content-Length': String(body.length) };
      const outgoing = httpRequest(
        { hostname, port, agent: this.#agent, method: verb, path, headers: sent },
        (response) => {
          const chunks: Buffer[] = [];
          const done = () =>
            resolve({ answers: [{ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }] });
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('end', done);
          response.once('error', done);
        },
      );
      outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => {
        outgoing.destroy();
        reject(new Error(`No answer in time to ${verb} ${path}`));
      });
      // The server may close while a body that is too large is still being sent: that is an answer too.
      outgoing.once('error', () => resolve({ answers: [] }));
      outgoing.end(body);
    });
  }

  async #raw({ pieces, pauseMs, ending }: HostileRaw): Promise<HostileOutcome> {
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    const heard: Buffer[] = [];
    let lastHeard = performance.now();
    socket.on('data', (chunk: Buffer) => {
      heard.push(chunk);
      lastHeard = performance.now();
    });
    socket.on('error', () => undefined);
    for (const piece of pieces) {
      if (socket.destroyed) break;
      socket.write(piece);
      if (pauseMs > 0) await pause(pauseMs);
    }
    if (ending === 'wait') await silence(socket, () => lastHeard);
    socket.resetAndDestroy();
    return { answers: answersIn(Buffer.concat(heard).toString('latin1')) };
  }
}

async function silence(socket: Socket, lastHeard: () => number): Promise<void> {
  const begun = performance.now();
  while (!socket.closed && performance.now() - Math.max(begun, lastHeard()) < SILENCE_MS) await pause(10);
}

/** The answers in what one connection said; interim ones are none. */
const answersIn = (said: string): HostileOutcome['answers'] =>
  said
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part.startsWith('HTTP/1.1 '))
    .map((part) => ({ status: Number(part.slice(9, 12)), body: part.slice(part.indexOf('\r\n\r\n') + 4) }))
    .filter(({ status }) => status >= 200);
