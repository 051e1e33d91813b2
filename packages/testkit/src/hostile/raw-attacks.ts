import type { Seeded } from '../seeded.js';

/** What is written to one connection, piece by piece, and how it is left. */
export interface RawAttack {
  readonly name: string;
  readonly pieces: readonly Buffer[];
  /** Milliseconds between two pieces. */
  readonly pauseMs: number;
  /** `wait`: read until the server closes or falls silent. `vanish`: reset the connection after the last piece. */
  readonly ending: 'wait' | 'vanish';
}

/** The tool that only requests hidden within others call: it must never run. */
export const SMUGGLED_TOOL = 'smuggled';

const message = (tool: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{}}}`;
const HEAD = 'Host: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2025-11-25\r\n';
const HIDDEN = `POST /mcp HTTP/1.1\r\n${HEAD}Content-Length: ${message(SMUGGLED_TOOL).length}\r\n\r\n${message(SMUGGLED_TOOL)}`;
const OPEN = `POST /mcp HTTP/1.1\r\n${HEAD}`;
const BODY = message('echo');

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

const at =
  (name: string, text: string, more: Partial<RawAttack> = {}) =>
  (): RawAttack => ({
    name,
    pieces: [bytes(text)],
    pauseMs: 0,
    ending: 'wait',
    ...more,
  });

const inPieces = (text: string, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    bytes(text.slice(index * size, (index + 1) * size)),
  );

const chunked = (framing: string): string => `${OPEN}${framing}\r\n0\r\n\r\n${HIDDEN}`;
const whole = `${OPEN}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** Each makes one attack on the framing of HTTP, or on the patience of the server. */
export const RAW_ATTACKS: readonly ((seeded: Seeded) => RawAttack)[] = [
  at('both framings', chunked('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n')),
  at('both framings, the other order', chunked('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n')),
  at('two lengths', `${OPEN}Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`),
  at('a list of lengths', `${OPEN}Content-Length: 0, ${HIDDEN.length}\r\n\r\n${HIDDEN}`),
  at('a negative length', `${OPEN}Content-Length: -1\r\n\r\n${HIDDEN}`),
  at('a signed length', `${OPEN}Content-Length: +0\r\n\r\n${HIDDEN}`),
  at('a length beyond numbers', `${OPEN}Content-Length: 99999999999999999999\r\n\r\n${BODY}`),
  at('a length in hexadecimal', `${OPEN}Content-Length: 0x0\r\n\r\n${HIDDEN}`),
  at('a space before the colon', `${OPEN}Content-Length : 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`),
  at('a misspelled coding', chunked('Content-Length: 0\r\nTransfer-Encoding: xchunked\r\n')),
  at('two codings', chunked('Transfer-Encoding: identity, chunked\r\nContent-Length: 0\r\n')),
  at('a coding on a folded line', chunked('Content-Length: 0\r\nTransfer-Encoding:\r\n chunked\r\n')),
  at('a coding after a tab', chunked('Content-Length: 0\r\nTransfer-Encoding:\tchunked\x0b\r\n')),
  at('a chunk size beyond numbers', `${OPEN}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n${HIDDEN}`),
  at('a negative chunk size', `${OPEN}Transfer-Encoding: chunked\r\n\r\n-1\r\n${HIDDEN}`),
  at('a chunk longer than said', `${OPEN}Transfer-Encoding: chunked\r\n\r\n1\r\n${BODY}\r\n0\r\n\r\n${HIDDEN}`),
  at('a long chunk extension', `${OPEN}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  at('trailers', `${OPEN}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nHost: evil\r\nContent-Length: 5\r\n\r\n`),
  at('bare line feeds', `POST /mcp HTTP/1.1\n${HEAD.replaceAll('\r\n', '\n')}Content-Length: 0\n\n`),
  at('a line feed within a value', `${OPEN}X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n`),
  at('a NUL within a value', `${OPEN}X-A: b\0c\r\nContent-Length: 0\r\n\r\n`),
  at('a header without a name', `${OPEN}: x\r\nContent-Length: 0\r\n\r\n`),
  at(
    'no Host',
    `POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  ),
  at('two Hosts', `${OPEN}Host: evil.example.com\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`),
  at('an absolute target', `POST http://evil.example.com/mcp HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\n{}`),
  at('CONNECT', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n'),
  at('an upgrade', `${OPEN}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`),
  at(
    'an upgrade to h2c',
    `${OPEN}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\nContent-Length: 0\r\n\r\n`,
  ),
  at('HTTP/2 by prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  at('HTTP/0.9', 'GET /mcp\r\n'),
  at('HTTP/1.0', `POST /mcp HTTP/1.0\r\n${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}`),
  at('HTTP/9.9', `POST /mcp HTTP/9.9\r\n${HEAD}Content-Length: 0\r\n\r\n`),
  at('an unknown verb', `FROBNICATE /mcp HTTP/1.1\r\n${HEAD}\r\n`),
  at('headers without end', `${OPEN}${Array.from({ length: 3_000 }, (_, n) => `X-${n}: y\r\n`).join('')}`),
  at('one long header', `${OPEN}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
  at('a long target', `POST /mcp?${'x'.repeat(100_000)} HTTP/1.1\r\n${HEAD}\r\n`),
  at('the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  at('100-continue', `${OPEN}Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`),
  at('another expectation', `${OPEN}Expect: the-unexpected\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`),
  at('two in a row', whole + whole),
  at('a body cut short', `${OPEN}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 20)}`, { ending: 'vanish' }),
  at('headers cut short', OPEN.slice(0, 60), { ending: 'vanish' }),
  at('no interest in the answer', whole, { ending: 'vanish' }),
  at('a promise of much', `${OPEN}Content-Length: 1000000\r\n\r\n{`, { ending: 'vanish' }),
  at('a promise of too much', `${OPEN}Content-Length: 100000000000\r\n\r\n{`),
  at('a body byte by byte', '', { pieces: inPieces(whole, 24), pauseMs: 5 }),
  at('a slow body, abandoned', '', { pieces: inPieces(whole.slice(0, -10), 40), pauseMs: 10, ending: 'vanish' }),
  at('slow chunks', '', {
    pieces: [
      `${OPEN}Transfer-Encoding: chunked\r\n\r\n`,
      ...[...BODY].slice(0, 30).map((one) => `1\r\n${one}\r\n`),
    ].map(bytes),
    pauseMs: 5,
    ending: 'vanish',
  }),
  (seeded) => ({
    name: 'noise',
    pieces: [Buffer.from(Array.from({ length: 1 + seeded.below(2_000) }, () => seeded.below(256)))],
    pauseMs: 0,
    ending: 'wait',
  }),
  (seeded) => {
    const spoiled = bytes(whole);
    for (let count = 0; count < 3; count += 1) spoiled[seeded.below(spoiled.length)] = seeded.below(256);
    return { name: 'a few bytes changed', pieces: [spoiled], pauseMs: 0, ending: 'wait' };
  },
];
