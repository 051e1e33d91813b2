import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryHub, memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { catalogueChanged, discoverCatalogue, discoverSource, discoveryHealth, sourceHello } from '@portico/contracts';
import type { PayloadOf, ReplyOf, SourceAddress, SourceSummary } from '@portico/contracts';
import { readConfig, startDiscovery } from '@portico/discovery';
import { createLog } from '@portico/observe';
import { openSource } from './sources.js';
import type { TestSource } from './sources.js';

export type Change = PayloadOf<typeof catalogueChanged>;
export type Health = ReplyOf<typeof discoveryHealth>['sources'][number];
type Running = { close(): Promise<void> };

/** A bus with everything on it that a test of discovery starts, and a folder that outlives what runs in it. */
export class Room {
  readonly hub = new MemoryHub();
  /** Every line that discovery has logged, from `info` on. */
  readonly lines: string[] = [];
  readonly log = createLog({ name: 'discovery', format: 'json', write: (line) => void this.lines.push(line) });
  readonly home = mkdtempSync(join(tmpdir(), 'portico-discovery-'));
  readonly bus: Bus = memoryBus({ hub: this.hub, log: this.log });
  readonly changes: Change[] = [];
  readonly #running: Running[] = [];

  static async open(): Promise<Room> {
    const room = new Room();
    await room.bus.listen(catalogueChanged, (change) => void room.changes.push(change));
    return room;
  }

  async discover(env: Record<string, string> = {}): Promise<Running> {
    const bus = memoryBus({ hub: this.hub, log: this.log });
    const discovery = await startDiscovery(bus, readConfig({ PORTICO_HOME: this.home, ...env }), this.log);
    return this.#owned({ close: () => discovery.close().then(() => bus.close()) });
  }

  async source(
    ...given: [SourceAddress, TestSource['answer'], Parameters<typeof openSource>[3]?]
  ): Promise<TestSource> {
    const source = await openSource(memoryBus({ hub: this.hub, log: this.log }), ...given);
    this.#running.push(source);
    return source;
  }

  /** A source as it is just before it dies: it has said hello, and will say nothing more. */
  hello(source: SourceAddress, instance = 'mute', configuration = 'a'): void {
    const contracts = '1.0';
    this.bus.tell(sourceHello, { source, instance, version: '1', contracts, configuration, connectTimeoutMs: 1_000 });
  }

  async summaries(probe = true): Promise<SourceSummary[]> {
    return (await this.bus.ask(discoverCatalogue, { probe })).sources;
  }

  async summary(source: SourceAddress, probe = true): Promise<SourceSummary | undefined> {
    return (await this.summaries(probe)).find((summary) => summary.source === source);
  }

  async tools(source: SourceAddress): Promise<string[]> {
    return (await this.bus.ask(discoverSource, { source })).tools.map(({ definition }) => definition.name);
  }

  async health(source: SourceAddress): Promise<Health | undefined> {
    return (await this.bus.ask(discoveryHealth, {})).sources.find((health) => health.source === source);
  }

  /** Lines logged of one event so far. */
  told(event: string): Record<string, unknown>[] {
    const lines = this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return lines.filter((line) => line['event'] === event);
  }

  async close(): Promise<void> {
    for (const running of this.#running.splice(0).reverse()) await running.close();
    await this.bus.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  #owned(running: Running): Running {
    let closing: Promise<void> | undefined;
    const owned = { close: () => (closing ??= running.close()) };
    this.#running.push(owned);
    return owned;
  }
}
