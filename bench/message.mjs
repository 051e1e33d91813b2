/** The one MCP conversation that every row is measured with: a 2026-07-28 `tools/call` of about 330 bytes, and its echo. */

export const REVISION = '2026-07-28';
/** What the upstream calls its tool; behind a gateway it has a prefix. */
export const TOOL = 'echo';
export const PREFIX = 'bench.';
/** A tool beside it that never answers before its deadline. */
export const HANGING = { domain: 'hanging', tool: 'waits' };

const META = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});
const WORDS = 'the quick brown fox jumps over the lazy dog';

/**
 * Headers a modern client sends with a call of `tool`; what it authenticates with stands behind the `#` of a row's URL.
 * @param {string} tool @param {string} url
 */
export const callHeaders = (tool, url) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': REVISION,
  'mcp-method': 'tools/call',
  'mcp-name': tool,
  ...(url.includes('#') && { authorization: `Bearer ${url.slice(url.indexOf('#') + 1)}` }),
});

/** @param {number} id */
export const echoText = (id) => `call ${id}: ${WORDS}`;

/**
 * A call that no other call of this run equals. Put together by hand: the load client must cost less than what it
 * measures. @param {string} tool @param {number} id
 */
export const callBody = (tool, id) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":{"text":"${echoText(id)}"},"_meta":${META}}}`;

/** Whether an answer mentions this call's own text: cheap, done for each one. @param {string} body @param {number} id */
export const looksRight = (body, id) => body.includes(echoText(id));

/** Whether an answer, fully parsed, is the JSON-RPC success this call must have. @param {string} body @param {number} id */
export const isRight = (body, id) => {
  try {
    const { jsonrpc, id: answered, result } = JSON.parse(body);
    const isEcho = result.content.length === 1 && result.content[0].text === echoText(id);
    return (
      jsonrpc === '2.0' && answered === id && isEcho && result.isError !== true && result.resultType === 'complete'
    );
  } catch {
    return false;
  }
};
