const MODERN = '2026-07-28';
const ASK_TIMEOUT_MS = 15_000;

/** The least an MCP client can be: it sends what it is told and checks nothing, so that Portico has to. */
export class RawClient {
  #id = 0;

  /** `revision` decides how requests are dressed; a 2025 client sends no Mcp-* headers. */
  constructor(url, revision) {
    this.url = url;
    this.revision = revision;
  }

  /** Asks and gives the result; throws on a JSON-RPC error. */
  async ask(method, params = {}) {
    const { error, result } = await this.#post(method, params);
    if (error) throw new Error(`${method} failed with ${error.code}: ${error.message}`);
    return result;
  }

  async #post(method, params) {
    this.#id += 1;
    const modern = this.revision === MODERN;
    const dressed = modern ? { ...params, _meta: envelope(params._meta) } : params;
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': this.revision,
        ...(modern && standardHeaders(method, params)),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params: dressed }),
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    return responseIn(await response.text(), response.headers.get('content-type'), this.#id);
  }
}

const envelope = (given) => ({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'portico-conformance-client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  ...given,
});

function standardHeaders(method, params) {
  const name = params.name ?? params.uri;
  return { 'Mcp-Method': method, ...(name !== undefined && { 'Mcp-Name': headerValue(name) }) };
}

const headerValue = (value) =>
  /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;

function responseIn(body, contentType, id) {
  if (!contentType?.includes('text/event-stream')) return JSON.parse(body);
  for (const line of body.split('\n')) {
    if (!line.startsWith('data:')) continue;
    const message = JSON.parse(line.slice(5));
    if (message.id === id) return message;
  }
  throw new Error('The stream ended without an answer.');
}
