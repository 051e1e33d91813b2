import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { Envelope } from '@portico/contracts';
import { type NatsServer, cutOff, describeIfAvailable, endless, startNatsServer } from '@portico/testkit';
import { closedWebhook, webhook } from '../apps/adapter-n8n/test/n8n-workflows.js';
import { WholePortico, call } from './whole-portico.js';

type Args = Record<string, unknown>;

/** What each text of an argument is replaced by. */
const TEXTS: readonly string[] = [
  '',
  '.',
  '..',
  '../../api/v1/tags',
  '..%2f..%2fapi%2fv1%2ftags',
  '%2e%2e/',
  '..\\..\\x',
  '/etc/passwd',
  '//evil.example/x',
  'http://evil.example/',
  '@evil.example',
  'a/../../b',
  'a?x=y#z',
  'a;b',
  'a\u0000b',
  'a\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1',
  '\u2028\u202e\ufeff',
  '．．／',
  '\ud800',
  '😀'.repeat(100),
  '__proto__',
  'constructor',
  '={{ $env.SECRET }}',
  '<!channel> <script>alert(1)</script> @everyone',
  '-1',
  '9'.repeat(64),
  'x'.repeat(200_000),
];
/** Whatever the schema says. */
const VALUES: readonly unknown[] = [null, -1, 1e308, [], {}, [[]], { __proto__: null, toString: 1 }, true];

describeIfAvailable('nats-server', 'hostile callers and backends of every domain', () => {
  let nats: NatsServer;
  let portico: WholePortico;
  let agent: Client;
  /** Where redirects and links lead; nobody must ever come. */
  let evil: Server;
  let evilAsked = 0;
  /** Arguments with which each tool does something, or is refused by its backend and not before. */
  let usual: Record<string, Args>;
  const envelopeOf = (whole: unknown) =>
    Envelope.parse((whole as { _meta: Record<string, unknown> })._meta['portico/envelope']);
  const codeOf = async (tool: string, args: Args) => {
    const { whole, text } = await call(agent, tool, args);
    expect(text).not.toMatch(/node_modules|\bat .*\.[jt]s:\d+|ECONN|127\.0\.0\.1/);
    const { ok, error } = envelopeOf(whole);
    return ok ? 'OK' : error!.code;
  };

  beforeAll(async () => {
    nats = await startNatsServer();
    const policy = { access: [{ subjects: ['agent'], allow: ['*'] }] };
    portico = await WholePortico.start(nats.url, policy, {
      CALL_TIMEOUT_SECS: '8',
      BREAKER_FAILURES: '1000000',
      RATE_LIMIT_PER_SECOND: '0',
    });
    const { plane, git, n8n, slack } = portico.backends;
    plane.records.create(plane.records.project('SHOP'), { name: 'One' });
    await git.put(
      '.plane/SHOP.json',
      '{\n  "work_items": [\n    {\n      "key": "SHOP-1",\n      "name": "One"\n    }\n  ]\n}\n',
    );
    const { id } = n8n.workflow('Orders', [webhook({ path: 'orders/:id' })], { tags: ['mcp'], active: true });
    const idle = n8n.workflow('Idle', [closedWebhook('idle')]).id;
    evil = createServer((_request, response) => (evilAsked++, void response.end('{}')));
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    agent = await portico.agent();
    const lease = async (resource: string) => ({
      _task: { lease_id: (await call(agent, 'task.acquire', { resource, ttl_seconds: 600 })).json.lease_id as string },
    });
    const one = { project: 'SHOP', work_item: 'SHOP-1' };
    const repository = 'acme/shop';
    const [channel, ts] = [slack.channels['incidents']!, await slack.say('incidents', 'Hello')];
    const leased = await lease('plane:SHOP/SHOP-1');
    usual = {
      'dagger.list_runs': {
        pipeline: 'shop',
        branch: 'main',
        commit: 'aaaaaaaa',
        created_after: '2026-01-01T00:00:00Z',
        cursor: 'bzE',
        limit: 1,
      },
      'dagger.get_run': { run_id: 'build-44' },
      'dagger.get_logs': { run_id: 'build-44', step: 'test', cursor: 'bzA' },
      'dagger.list_artifacts': { run_id: 'build-44' },
      'plane.list_work_items': { project: 'SHOP', cursor: '20:0:0' },
      'plane.get_work_item': { work_item: 'SHOP-1', project: 'SHOP' },
      'plane.search_work_items': { query: 'One', project: 'SHOP' },
      'plane.list_states': { project: 'SHOP' },
      'plane.list_cycles': { project: 'SHOP', cursor: '20:0:0' },
      'plane.list_comments': { work_item: 'SHOP-1', cursor: '20:0:0' },
      'plane.create_work_item': { project: 'SHOP', name: 'New', state: 'Todo', labels: ['bug'], description: 'x' },
      'plane.update_work_item': { ...one, name: 'One', state: 'Done', labels: ['bug'], description: 'x', ...leased },
      'plane.set_state': { ...one, state: 'Done', ...leased },
      'plane.add_comment': { ...one, text: 'x', ...leased },
      'n8n.list_workflows': { cursor: 'e30=' },
      'n8n.describe_workflow': { workflow_id: id },
      'n8n.trigger_workflow': {
        workflow_id: id,
        webhook: 'Webhook',
        path_parameters: { id: '7' },
        query: { a: 'b' },
        body: { a: 'b' },
      },
      'n8n.list_executions': { workflow_id: id, cursor: 'e30=' },
      'n8n.get_execution': { execution_id: '1' },
      'n8n.create_workflow': {
        name: 'Made',
        nodes: [{ name: 'A', type: 'n8n-nodes-base.set', parameters: { a: 'b' }, notes: 'x' }],
        connections: { A: { main: [[{ node: 'A' }]] } },
        timezone: 'Europe/Paris',
      },
      'n8n.activate_workflow': { workflow_id: idle },
      'n8n.deactivate_workflow': { workflow_id: idle },
      'slack.list_channels': { name: 'incidents', cursor: 'x' },
      'slack.read_channel': { channel, after: ts, before: ts, cursor: 'x' },
      'slack.read_thread': { channel, thread_ts: ts, cursor: 'x' },
      'slack.list_users': { cursor: 'x' },
      'slack.post_message': { channel, text: 'x', mention: ['U0123456789'] },
      'slack.reply_in_thread': { channel, thread_ts: ts, text: 'x' },
      'slack.add_reaction': { channel, ts, emoji: 'eyes' },
      'github.get_file': { repository, path: 'README.md', ref: 'main' },
      'github.list_commits': {
        repository,
        ref: 'main',
        path: 'README.md',
        author: 'acme',
        since: '2026-01-01T00:00:00Z',
      },
      'github.list_pull_requests': { repository },
      'github.get_pull_request': { repository, number: 1 },
      'github.list_issues': { repository },
      'github.get_issue': { repository, number: 1 },
    };
  }, 120_000);
  afterAll(async () => {
    expect(evilAsked).toBe(0);
    await portico.close();
    await nats.stop();
    evil.closeAllConnections();
    await new Promise((resolve) => evil.close(resolve));
  });

  /** Every argument of a tool, and every text within one, replaced in turn. */
  function* attacks(args: Args): Generator<Args> {
    for (const [name, value] of Object.entries(args)) {
      if (name === '_task') continue;
      for (const text of TEXTS) for (const changed of replaced(value, text)) yield { ...args, [name]: changed };
      for (const other of VALUES) yield { ...args, [name]: other };
    }
    yield JSON.parse(`{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`) as Args;
    yield {
      ...args,
      ...(JSON.parse('{"__proto__":{"polluted":true}}') as Args),
      url: 'http://evil.example',
      method: 'DELETE',
    };
  }

  /** The only places that each backend may be asked at, by the method that it is. */
  const PLACES: Readonly<Record<string, RegExp>> = {
    dispatcher: /^GET \/v1\/runs(\/[a-z0-9-]+(\/(logs|artifacts))?)?(\?|$)/,
    plane:
      /^(GET|POST|PATCH) \/api\/v1\/(users\/me|workspaces\/acme\/(projects|members|work-items)(\/[A-Za-z0-9-]+)*)\/$/,
    git: /^(GET|PUT) \/repos\/acme\/plans\/(branches|contents|commits|git)\//,
    n8n: /^(GET \/api\/v1\/(workflows|executions)(\/[A-Za-z0-9_-]+)?|POST \/api\/v1\/workflows(\/Wf\d+\/(de)?activate)?|POST \/webhook\/[0-9a-f-]{36}\/orders\/[^/?]+)(\?|$)/,
    slack: /^POST \/api\/(conversations\.(list|info|history|replies)|users\.list|chat\.postMessage|reactions\.add)$/,
    github: /^GET \/repos\/acme\/shop\/(contents|commits|pulls|issues|git)(\/|\?|$)/,
  };

  it('[AD-2][AD-8][AD-14][AD-16][AD-18] no argument leads anywhere but where its tool goes, or breaks anything', async () => {
    let tried = 0;
    const odd: string[] = [];
    for (const [tool, args] of Object.entries(usual)) {
      for (const attack of attacks(args)) {
        tried++;
        const code = await codeOf(tool, attack).catch((error: unknown) => `threw ${String(error).slice(0, 300)}`);
        if (
          !/^(OK|INVALID_ARGUMENTS|NOT_FOUND|PERMISSION_DENIED|CONFLICT|LEASE_REQUIRED|LEASE_EXPIRED|UNSUPPORTED)$/.test(
            code,
          )
        )
          odd.push(`${tool} ${JSON.stringify(attack).slice(0, 200)}: ${code}`);
      }
    }
    expect(tried).toBeGreaterThan(2_000);
    expect(odd).toEqual([]);
    const { cluster: _none, ...asked } = portico.backends.asked;
    for (const [backend, requests] of Object.entries(asked))
      for (const { method, at, headers, body } of requests) {
        expect([backend, `${method} ${at}`]).toEqual([backend, expect.stringMatching(PLACES[backend]!)]);
        expect(at.split('?')[0]).not.toMatch(/\/\.{1,2}(\/|$)|\/\//);
        expect(portico.backends.places).toContain(headers['host']);
        expect(headers).not.toHaveProperty('x-injected');
        // Half a character is no text that a backend can keep; what a workflow is given is its author's to say.
        if (backend !== 'n8n') expect(body).not.toMatch(/\\ud800|\ufffd|%EF%BF%BD/i);
      }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(portico.backends.n8n.records.workflows.filter(({ tags }) => tags.length > 0)).toHaveLength(1);
  }, 600_000);

  type Answer = (response: ServerResponse) => void;
  const ended =
    (status: number, headers: Record<string, string>, body: string | Buffer = ''): Answer =>
    (response) =>
      void response.writeHead(status, headers).end(body);
  const json = { 'content-type': 'application/json' };
  const drip: Answer = (response) => {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(timer));
  };
  const elsewhere = (status: number) => (response: ServerResponse) => {
    const location = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/api/v1/workflows`;
    ended(status, { location, refresh: `0; url=${location}`, link: `<${location}>; rel="next"` })(response);
  };
  const ANSWERS: readonly [name: string, code: RegExp, answer: Answer][] = [
    ...[301, 302, 303, 307, 308].map(
      (status) => [`a redirect ${status}`, /UNKNOWN_ERROR/, elsewhere(status)] as [string, RegExp, Answer],
    ),
    ['an answer without an end', /PAYLOAD_TOO_LARGE/, endless],
    ['an answer by drops', /TIMEOUT/, drip],
    ['silence', /TIMEOUT/, () => {}],
    ['a page', /UNKNOWN_ERROR/, ended(200, { 'content-type': 'text/html' }, '<html>at /srv/x.js:1</html>')],
    ['nothing', /UNKNOWN_ERROR/, ended(204, {})],
    [
      'a bomb',
      /UNKNOWN_ERROR/,
      ended(200, { ...json, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))),
    ],
    ['depth', /UNKNOWN_ERROR/, ended(200, json, '['.repeat(1_000_000))],
    ['a prototype', /UNKNOWN_ERROR/, ended(200, json, '{"__proto__":{"polluted":true,"ok":true,"data":[]}}')],
    ['no Unicode', /UNKNOWN_ERROR/, ended(200, json, Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
    ['endless headers', /BACKEND_UNAVAILABLE/, ended(200, { ...json, 'x-long': 'x'.repeat(200_000) })],
    ['what is no HTTP', /BACKEND_UNAVAILABLE/, (response) => void response.socket?.end('SSH-2.0-x\r\n\r\n')],
    ['a length that is not kept', /BACKEND_UNAVAILABLE/, cutOff],
  ];

  it.each(ANSWERS)(
    '[AD-3][AD-4] a backend that answers with %s costs that call alone, and it is told as what it is',
    async (_name, code, answer) => {
      const { dispatcher, plane, n8n, slack, github } = portico.backends;
      const reads: [tool: string, args: Args][] = [
        ['dagger.get_run', usual['dagger.get_run']!],
        ['plane.list_states', { project: 'SHOP' }],
        ['n8n.list_workflows', {}],
        ['slack.list_users', {}],
        ['github.list_issues', { repository: 'acme/shop' }],
      ];
      for (const { faults } of [dispatcher, n8n, slack.proxy, github.proxy]) {
        faults.length = 0;
        // A read is asked once more where it may be.
        faults.push(answer, answer);
      }
      plane.fault = (_request, response) => (answer(response), true);
      const codes = await Promise.all(reads.map(async ([tool, args]) => [tool, await codeOf(tool, args)]));
      expect(codes).toEqual(reads.map(([tool]) => [tool, expect.stringMatching(code)]));
      for (const { faults } of [dispatcher, n8n, slack.proxy, github.proxy]) faults.length = 0;
      plane.fault = () => false;
      for (const [tool, args] of reads) expect([tool, await codeOf(tool, args)]).toEqual([tool, 'OK']);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );
});

/** A value with each text in it replaced in turn, and each name of a field. */
function* replaced(value: unknown, text: string): Generator<unknown> {
  if (typeof value === 'string') yield text;
  if (Array.isArray(value))
    for (const [index, each] of value.entries())
      for (const changed of replaced(each, text)) yield value.with(index, changed);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      for (const changed of replaced(each, text)) yield { ...value, [name]: changed };
      const { [name]: _renamed, ...others } = value as Args;
      // As JSON makes it: a field of its own, whatever it is called.
      yield JSON.parse(
        JSON.stringify({ ...others, 'NEW-NAME': each }).replace('"NEW-NAME"', () => JSON.stringify(text)),
      );
    }
}
