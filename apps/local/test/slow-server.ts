/** An MCP server whose one tool answers after so many milliseconds (2,000 unless told): it is run by `node -e`. */
export const slowServer = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } });
  else if (method === 'tools/list') answer({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call')
    setTimeout(answer, params.arguments?.ms ?? 2000, { content: [{ type: 'text', text: 'waited' }] });
  else if (id !== undefined)
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: method } }) + '\\n');
})`;
