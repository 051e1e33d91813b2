import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { type Bus, connectBus } from '@portico/bus';
import { rollCall, sourceHeartbeat, sourceHello } from '@portico/contracts';
import { readConfig as readDiscovery, startDiscovery } from '@portico/discovery';
import { readConfig as readFrontDoor, startFrontDoor } from '@portico/front-door';
import { createLog } from '@portico/observe';
import { type NatsServer, describeIfAvailable, startNatsServer } from '@portico/testkit';

const later = { added: { later: true } };

/** A domain of a version that is not ours, as bare messages: each has fields that we do not know. */
class OtherDomain {
  readonly asked: string[] = [];
  rollCalls = 0;

  constructor(
    private readonly bare: NatsConnection,
    private readonly name: string,
    private readonly contracts: string,
  ) {
    const policy = { effect: 'read', ...later };
    const tool = { definition: { name: 'look', inputSchema: { type: 'object' }, ...later }, policy, ...later };
    const identity = {
      description: 'Of another version.',
      ...{ era: 'modern', protocolVersion: '2026-07-28', capabilities: { tools: {} }, mount: 'namespace' },
      ...{ callTimeoutMs: 5_000, ...later },
    };
    const lists = { tools: [tool], resources: [], resourceTemplates: [], prompts: [] };
    this.#answer('describe', { revision: '1', identity, ...lists, ...later });
    this.#answer('health', { state: 'up', ...later });
    this.#answer('call-tool', { content: [{ type: 'text', text: 'seen', ...later }], ...later });
    bare.subscribe(rollCall.subject, {
      callback: () => {
        this.rollCalls += 1;
        this.hello();
      },
    });
    this.hello();
  }

  hello(): void {
    const { contracts } = this;
    this.#tell(sourceHello.subject, { version: '9', contracts, configuration: 'a', connectTimeoutMs: 1_000 });
  }

  beat(): void {
    this.#tell(sourceHeartbeat.subject, { service: this.name, sources: [`domain.${this.name}`] });
  }

  #tell(subject: string, data: object): void {
    const of = { source: `domain.${this.name}`, instance: `${this.name}-1` };
    this.bare.publish(subject, JSON.stringify({ pattern: subject, data: { ...of, ...data, ...later }, ...later }));
  }

  #answer(kind: string, response: object): void {
    this.bare.subscribe(`domain.${this.name}.${kind}`, {
      queue: `domain.${this.name}.${kind}`,
      callback: (_error, message) => {
        this.asked.push(kind);
        const { id } = message.json<{ id: string }>();
        message.respond(JSON.stringify({ response, isDisposed: true, id, ...later }));
      },
    });
  }
}

describeIfAvailable('nats-server', '[OP-9] services of two versions on one bus', () => {
  let nats: NatsServer;
  let bare: NatsConnection;
  const running: { close(): Promise<void> }[] = [];
  const lines: string[] = [];
  let url = '';
  const home = mkdtempSync(join(tmpdir(), 'portico-versions-'));

  beforeEach(async () => {
    nats = await startNatsServer();
    bare = await connect({ servers: nats.url });
    const log = createLog({ name: 'test', format: 'json', write: (line) => void lines.push(line) });
    const env = { PORTICO_HOME: home, PORT: '0', ADMIN_PORT: '0' };
    const joined = async (name: string): Promise<Bus> => {
      const bus = await connectBus({ url: nats.url, name, log });
      running.push(bus);
      return bus;
    };
    running.push(await startDiscovery(await joined('discovery'), readDiscovery(env), log));
    const door = await startFrontDoor(await joined('front-door'), readFrontDoor(env), log);
    running.push(door);
    url = door.url;
  }, 30_000);
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.close();
    await bare.close();
    await nats.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const rpc = async (method: string, params: object): Promise<string> => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.text();
  };
  const until = async (so: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + 15_000;
    while (!(await so())) {
      if (performance.now() > end) throw new Error(`It never was so:\n${lines.slice(-10).join('\n')}`);
      await delay(50);
    }
  };

  it('takes a later minor version with what it adds, and leaves another major alone, told of once', async () => {
    const minor = new OtherDomain(bare, 'later', '1.7');
    const major = new OtherDomain(bare, 'other', '2.0');
    await until(async () => (await rpc('tools/list', {})).includes('later.look'));
    const answer = await rpc('tools/call', { name: 'later.look', arguments: {} });
    expect(answer).toContain('seen');
    expect(minor.asked).toEqual(expect.arrayContaining(['describe', 'call-tool']));

    const before = major.rollCalls;
    for (let beat = 0; beat < 40; beat += 1) {
      for (const one of [minor, major]) one.beat();
      if (beat % 10 === 0) major.hello();
      await delay(100);
    }
    // Whoever is left alone is not asked who it is at every heartbeat.
    expect(major.rollCalls - before).toBeLessThanOrEqual(1);
    expect(await rpc('tools/list', {})).not.toContain('other.look');
    expect(await rpc('tools/call', { name: 'other.look', arguments: {} })).toContain('UNKNOWN_TOOL');
    expect(major.asked).toEqual([]);
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told.filter(({ event }) => event === 'source.other-contracts')).toEqual([
      expect.objectContaining({ source: 'domain.other', contracts: '2.0', taken: '1.0', level: 'warn' }),
    ]);
    expect(told.filter(({ level }) => level === 'error')).toEqual([]);
    expect(await rpc('tools/call', { name: 'later.look', arguments: {} })).toContain('seen');
  }, 60_000);
});
