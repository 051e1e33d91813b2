import { createServer } from 'node:http';

/**
 * A `node:http` server on a free loopback port that hands over the body of each POST as text, says where it listens on
 * stdout as the services do, and ends with SIGTERM.
 * @param {(body: string, request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void} onBody
 */
export const listen = (onBody) =>
  serve((request, response) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      onBody(body.toString(), request, response);
    });
  });

/** The same with nothing read. @param {import('node:http').RequestListener} listener */
export const serve = (listener) => {
  const server = createServer({ keepAliveTimeout: 600_000 }, listener);
  server.listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`listening on http://127.0.0.1:${address.port}/mcp`);
  });
  endOnSigterm();
};

export const endOnSigterm = () => {
  process.on('SIGTERM', () => process.exit(0));
};

/** @param {import('node:http').ServerResponse} response @param {string} body @param {number} [status] */
export const answerJson = (response, body, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
};
