/** A tool of the raw fixture servers; anything the protocol allows, and what it does not. */
export interface FixtureTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

/**
 * What a fixture does with a `tools/call`, told by the tool's name; each but `die-before` counts as executed.
 * `echo` answers its arguments · `die-before` / `die-during` / `die-after` break the connection before it acts, while it
 * acts, or in the middle of its answer · `hang` never answers · `garbage` answers no JSON-RPC · `flood` answers
 * `arguments.bytes` characters · `progress` reports three times, then answers · `progress-then-stop` reports and ends the
 * stream without an answer · `odd` answers with what no schema knows · `rpc-error` answers the JSON-RPC error
 * `arguments.code` · `status` answers the HTTP status `arguments.status` · `wrong-id` answers
 * somebody else · `log` says a line at three levels, then answers.
 */
export const FIXTURE_TOOLS: readonly FixtureTool[] =
  'echo die-before die-during die-after hang garbage flood progress progress-then-stop odd rpc-error status wrong-id log'
    .split(' ')
    .map((name) => ({ name, description: `The fixture's ${name}.`, inputSchema: { type: 'object' } }));

/** A result no schema of today knows, that must pass as it is. */
export const ODD_RESULT = {
  resultType: 'x-partial',
  content: [
    { type: 'hologram', beam: { colour: 'blue' }, 'x-key': [1, null] },
    { type: 'text', text: 'a', 'x-extra': true },
  ],
  structuredContent: ['an', 'array'],
  _meta: { 'com.example/key': { deep: 1 } },
  'x-top': 'kept',
};

export interface FixtureRequest {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON-RPC message of a POST. */
  readonly message: { id?: number | string; method?: string; params?: Record<string, unknown>; [key: string]: unknown };
}
