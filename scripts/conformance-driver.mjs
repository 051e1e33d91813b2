import { setTimeout as pause } from 'node:timers/promises';
import { RawClient } from './conformance-client.mjs';
import { startGateway } from './conformance-gateway.mjs';

/**
 * What the suite runs as "the client": Portico in front of the suite's mock server, driven by a client that checks
 * nothing itself. The mock's address is the last argument, the scenario is named by the environment.
 */
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const LIST_ATTEMPTS = 40;

/** What Portico offers of its own. */
const isOwn = ({ name, uri, uriTemplate }) => /^(gateway|task)\./.test(name) || /^portico:/.test(uri ?? uriTemplate);

/** Asks for a list until the upstream has been heard: Portico never waits for one. */
async function listed(client, method, key) {
  for (let attempt = 0; attempt < LIST_ATTEMPTS; attempt += 1) {
    const items = (await client.ask(method))[key].filter((item) => !isOwn(item));
    if (items.length > 0) return items;
    await pause(100);
  }
  return [];
}

const tools = (client) => listed(client, 'tools/list', 'tools');
const call = (client, name, given = {}, more = {}) => client.ask('tools/call', { name, arguments: given, ...more });

/** Answers the questions of an interim result once, and gives what comes back. */
async function callAnswering(client, name) {
  const result = await call(client, name);
  if (result.resultType !== 'input_required') return result;
  const keys = Object.keys(result.inputRequests);
  const inputResponses = Object.fromEntries(
    keys.map((key) => [key, { action: 'accept', content: { confirmed: true } }]),
  );
  const { requestState } = result;
  return call(client, name, {}, { inputResponses, ...(requestState !== undefined && { requestState }) });
}

const SCENARIOS = {
  initialize: (client) => tools(client),
  tools_call: async (client) => {
    await tools(client);
    await call(client, 'add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': async (client) => {
    await tools(client);
    await call(client, 'test_client_elicitation_defaults');
  },
  'sse-retry': async (client) => {
    await tools(client);
    await call(client, 'test_reconnection');
  },
  // Its server has no tools to wait for.
  'request-metadata': async (client) => {
    await client.ask('tools/list');
    await pause(1_000);
    await client.ask('tools/list');
  },
  'sep-2322-client-request-state': async (client) => {
    await tools(client);
    const round = await call(client, 'test_mrtr_echo_state');
    await call(client, 'test_mrtr_unrelated');
    await call(
      client,
      'test_mrtr_echo_state',
      {},
      {
        inputResponses: { confirm: { action: 'accept', content: { confirmed: true } } },
        requestState: round.requestState,
      },
    );
    await callAnswering(client, 'test_mrtr_no_state');
    await callAnswering(client, 'test_mrtr_no_result_type');
  },
  'http-standard-headers': async (client) => {
    for (const { name } of await tools(client)) await call(client, name);
    for (const { uri } of await listed(client, 'resources/list', 'resources')) {
      await client.ask('resources/read', { uri });
    }
    for (const { name } of await listed(client, 'prompts/list', 'prompts')) await client.ask('prompts/get', { name });
  },
  // By a 2025 client: it sends no Mcp-Param-* headers, so those that arrive are Portico's own.
  'http-custom-headers': async (_, url, { toolCalls }) => {
    const client = new RawClient(url, LEGACY);
    await tools(client);
    for (const { name, arguments: given } of toolCalls) await call(client, name, given);
  },
  // Calls what must not be called, listed or not: to refuse it is Portico's task.
  'http-invalid-tool-headers': async (_, url) => {
    const client = new RawClient(url, LEGACY);
    await tools(client);
    const kinds = ['empty_header', 'object_header', 'array_header', 'null_header', 'number_header'];
    const names = ['duplicate_same_case', 'duplicate_diff_case', 'space_in_name', 'colon_in_name'];
    for (const kind of [...kinds, ...names, 'non_ascii_name', 'control_char_name']) {
      await call(client, `invalid_${kind}`, { value: 'x' }).catch(() => {});
    }
    await call(client, 'valid_tool', { region: 'eu' });
  },
  'json-schema-ref-no-deref': (client) => tools(client),
  'json-schema-2020-12-preservation': async (client) => {
    const found = (await tools(client)).find(({ name }) => name === 'json_schema_2020_12_tool');
    await call(client, 'json_schema_echo', { schema: found.inputSchema });
  },
};

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const play = SCENARIOS[scenario];
if (!play) throw new Error(`No part is written for the scenario ${scenario}.`);
const gateway = await startGateway(process.argv.at(-1), { log: (line) => console.error(line) });
try {
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  await play(new RawClient(gateway.url, MODERN), gateway.url, context);
} finally {
  await gateway.stop();
}
