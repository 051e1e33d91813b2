import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIXTURE_TOOLS, ODD_RESULT } from './fixture-behaviour.js';
import type { FixtureTool } from './fixture-behaviour.js';

export interface StdioScript {
  /** Default `legacy`: answers an unknown method with an error. `dies-on-discover` and `silent-on-discover` are legacy too. */
  readonly kind?: 'legacy' | 'modern' | 'dual' | 'dies-on-discover' | 'silent-on-discover';
  readonly tools?: readonly FixtureTool[];
  /** Ends at once, before it reads anything. */
  readonly exits?: boolean;
  /** Never answers anything. */
  readonly mute?: boolean;
  /** Starts a child of its own, which ignores SIGTERM. */
  readonly grandchild?: boolean;
  /** Ignores SIGTERM and the end of its input. */
  readonly stubborn?: boolean;
  /** Never answers `resources/read`. */
  readonly silentReads?: boolean;
  /** Lines written to stderr at start. */
  readonly stderrLines?: number;
}

/** A double of an MCP server over bare stdio. Give `command`, `args` and `env` to whoever starts it. */
export interface StdioFixture {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /**
   * What happened in all its processes, in order: `start <pid>`, before it `twice <pid>` for each that still ran then,
   * `grandchild <pid>`, `grown up` once SIGTERM no longer ends it, `act <tool>`, and each method received.
   */
  events(): string[];
  /** How often a tool acted. */
  executions(): number;
  pids(): number[];
  /** Removes its record. Processes are whoever's started them. */
  close(): void;
}

/** The fixture is one function, run by `node -e` in a process of its own: it may use nothing from outside itself. */
export function stdioServer(script: StdioScript = {}): StdioFixture {
  const folder = mkdtempSync(join(tmpdir(), 'portico-stdio-'));
  const record = join(folder, 'events');
  const given = { kind: 'legacy', tools: FIXTURE_TOOLS, ...script, record, odd: ODD_RESULT };
  const events = () => {
    try {
      return readFileSync(record, 'utf8').trimEnd().split('\n');
    } catch {
      return [];
    }
  };
  return {
    command: process.execPath,
    args: ['-e', `(${program.toString()})(${JSON.stringify(given)})`],
    env: { PORTICO_FIXTURE: 'only-this' },
    events,
    executions: () => events().filter((event) => event.startsWith('act ')).length,
    pids: () =>
      events()
        .flatMap((event) => /^(?:start|grandchild) (\d+)$/.exec(event)?.[1] ?? [])
        .map(Number),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> };
}

function program(script: StdioScript & { record: string; odd: object }): void {
  const { appendFileSync, existsSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { createInterface } = process.getBuiltinModule('node:readline');
  const note = (event: string) => appendFileSync(script.record, `${event}\n`);
  const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const runs = (pid: number) => {
    try {
      return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  const before = existsSync(script.record) ? readFileSync(script.record, 'utf8') : '';
  for (const [, pid] of before.matchAll(/^start (\d+)$/gm)) if (runs(Number(pid))) note(`twice ${pid}`);
  if (script.stubborn) {
    process.on('SIGTERM', () => note('ignored SIGTERM'));
    setInterval(() => {}, 1_000);
  }
  note(`start ${process.pid}`);
  if (script.exits) process.exit(3);
  if (script.grandchild) {
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
      process.getBuiltinModule('node:fs').appendFileSync(process.argv[1], 'grown up\\n')`;
    const child = spawn(process.execPath, ['-e', stubborn, script.record], { stdio: 'inherit' });
    note(`grandchild ${child.pid}`);
  }
  for (let line = 1; line <= (script.stderrLines ?? 0); line++)
    process.stderr.write(`stderr ${line} ${'e'.repeat(5000)}\n`);

  const modern = script.kind === 'modern' || script.kind === 'dual';
  const capabilities = { tools: { listChanged: true } };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line) as Message;
    note(method ?? 'answer');
    if (script.mute || id === undefined) return;
    const give = (result: object) => say({ id, result: modern ? { resultType: 'complete', ...result } : result });
    const fail = (code: number) => say({ id, error: { code, message: 'said by the fixture' } });
    if (method === 'server/discover' && script.kind === 'dies-on-discover') process.exit(1);
    if (method === 'server/discover' && script.kind === 'silent-on-discover') return;
    if (method === 'server/discover' && modern) return void give({ supportedVersions: ['2026-07-28'], capabilities });
    if (method === 'initialize' && script.kind !== 'modern') {
      return void give({
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo: { name: 'stdio-fixture', version: '1' },
      });
    }
    if (modern && params._meta?.['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') return void fail(-32022);
    if (method === 'subscriptions/listen' && modern) {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      return void say({ method: 'notifications/subscriptions/acknowledged', params: { notifications: {}, _meta } });
    }
    if (method === 'tools/list') return void give({ tools: script.tools });
    if (method === 'resources/read' && script.silentReads) return;
    if (method !== 'tools/call') return void fail(-32601);

    const args = params.arguments ?? {};
    const text = (value: string) => give({ content: [{ type: 'text', text: value }] });
    if (params.name === 'die-before') process.exit(1);
    note(`act ${params.name}`);
    switch (params.name) {
      case 'die-during':
        return process.exit(1);
      case 'die-after':
        return void process.stdout.write('{"jsonrpc":"2.0","id":', () => process.exit(1));
      case 'hang':
        return;
      case 'garbage':
        return void process.stdout.write(`hello, I am a log line\n{"jsonrpc":"2.0","id":${id},"result":"no object"}\n`);
      case 'flood':
        return void text('x'.repeat(Number(args.bytes)));
      case 'flood-id-last':
        return void process.stdout.write(
          `${JSON.stringify({ result: { content: [{ type: 'text', text: 'x'.repeat(Number(args.bytes)) }] }, jsonrpc: '2.0', id })}\n`,
        );
      case 'endless-line':
        return void setInterval(() => process.stdout.write('x'.repeat(65_536)), 1);
      case 'progress':
        for (let done = 1; done <= 3; done++) {
          say({
            method: 'notifications/progress',
            params: { progressToken: params._meta?.progressToken, progress: done, total: 3 },
          });
        }
        return void text('done');
      case 'odd':
        return void say({ id, result: script.odd });
      case 'rpc-error':
        return void say({ id, error: { code: args.code, message: 'said by the fixture', data: { why: 'scripted' } } });
      case 'ping-first':
        say({ id: 'from-server', method: 'ping' });
        return void setTimeout(() => text('asked'), 20);
      case 'environment':
        return void give({ content: [], structuredContent: { ...process.env } });
      case 'deep-ping':
        process.stdout.write(
          `{"jsonrpc":"2.0","id":${'['.repeat(Number(args.depth))}${']'.repeat(Number(args.depth))},"method":"ping"}\n`,
        );
        return void text('still here');
      case 'process':
        return void give({ content: [], structuredContent: { pid: process.pid } });
      case 'meta':
        return void give({ content: [], structuredContent: { meta: params._meta ?? null } });
      case 'change':
        say({ method: 'notifications/tools/list_changed' });
        return void text('changed');
      default:
        return void give({ content: [{ type: 'text', text: JSON.stringify(args) }], structuredContent: args });
    }
  });
}
