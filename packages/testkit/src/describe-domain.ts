import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, describeSource, rollCall, sourceBye, sourceHealth, sourceHello } from '@portico/contracts';
import type { CallContext, CatalogueTool, PayloadOf, SourceAddress } from '@portico/contracts';

export interface DomainUnderTest {
  readonly source: SourceAddress;
  /** Serves the domain on a bus; its backend is there. */
  serve(bus: Bus): Promise<{ close(): Promise<void> }>;
  /** What accompanies each call; nothing unless given. */
  readonly context?: CallContext;
  /** How many requests the backend has had. */
  backendRequests(): number;
  /** A call that is refused for its arguments before the backend hears of it. */
  readonly badArguments: { readonly tool: string; readonly arguments: Record<string, unknown> };
  /** A call that the backend does not answer by itself; `arrived` resolves when it is there. */
  hang(): {
    readonly tool: string;
    readonly arguments: Record<string, unknown>;
    arrived(): Promise<void>;
    release(): void;
  };
  close(): Promise<void>;
}

const SMALL_PAYLOAD = 16 * 1024;

/** The suite that every domain passes, whatever is behind it: [AD-1] and [AD-2] on the in-process bus. */
export function describeDomain(name: string, start: () => Promise<DomainUnderTest>): void {
  describe(`[AD-1] the domain ${name}`, () => {
    let domain: DomainUnderTest;
    let bus: Bus;
    let served: { close(): Promise<void> };
    const tools = async (): Promise<CatalogueTool[]> => (await bus.ask(describeSource(domain.source), {})).tools;

    const accompanied = () => (domain.context === undefined ? {} : { context: domain.context });

    beforeAll(async () => {
      domain = await start();
      bus = memoryBus();
      served = await domain.serve(bus);
    });
    afterAll(async () => {
      await served?.close();
      await bus?.close();
      await domain?.close();
    });

    it('[AD-2] lists tools, each with a name of its own, description, schema, effect and annotations', async () => {
      const listed = await tools();
      expect(listed.length).toBeGreaterThan(0);
      expect(new Set(listed.map(({ definition }) => definition.name)).size).toBe(listed.length);
      for (const { definition, policy } of listed) {
        expect(definition['description']).toEqual(expect.stringMatching(/\S/));
        expect(definition.inputSchema['type']).toBe('object');
        expect(definition['annotations']).toEqual(expect.any(Object));
        expect(['read', 'write', 'destructive']).toContain(policy.effect);
      }
    });

    it('gives equal content one revision', async () => {
      const ask = async () => (await bus.ask(describeSource(domain.source), { refresh: true })).revision;
      expect(await ask()).toBe(await ask());
    });

    it('[AD-2] refuses bad arguments before its backend hears of them', async () => {
      await tools();
      const before = domain.backendRequests();
      const asked = bus.ask(callTool(domain.source), domain.badArguments, { deadlineMs: 10_000, ...accompanied() });
      await expect(asked).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
      expect(domain.backendRequests()).toBe(before);
    });

    it('refuses a tool that it does not have', async () => {
      const unknown = { tool: 'no_such_tool', arguments: {} };
      const asked = bus.ask(callTool(domain.source), unknown, { deadlineMs: 10_000, ...accompanied() });
      // A domain that hands on a server's word can not always prove that nothing ran.
      await expect(asked).rejects.toMatchObject({ executed: expect.stringMatching(/^(no|unknown)$/) });
    });

    it('says its health', async () => {
      expect(await bus.ask(sourceHealth(domain.source), {})).toMatchObject({ state: 'up' });
    });

    it('lets go of a call that is cancelled', async () => {
      await tools();
      const ending = new AbortController();
      const { arrived, release, ...call } = domain.hang();
      const asked = bus.ask(callTool(domain.source), call, {
        deadlineMs: 20_000,
        signal: ending.signal,
        ...accompanied(),
      });
      const refused = expect(asked).rejects.toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
      await arrived();
      ending.abort();
      await refused;
      release();
    });

    it('describes itself in pages that fit a small bus, and the pages make the whole', async () => {
      const whole = await tools();
      const small = smallBus(memoryBus(), SMALL_PAYLOAD);
      const elsewhere = await domain.serve(small);
      const paged: CatalogueTool[] = [];
      let cursor: string | undefined;
      do {
        const page = await small.ask(describeSource(domain.source), cursor === undefined ? {} : { cursor });
        expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(SMALL_PAYLOAD);
        paged.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(paged).toEqual(whole);
      await elsewhere.close();
      await small.close();
    });

    it('says hello at start and at a roll call, and bye at the end', async () => {
      const other = memoryBus();
      const said: string[] = [];
      const hello = next<PayloadOf<typeof sourceHello>>();
      await other.listen(sourceHello, (payload) => {
        said.push('hello');
        hello.heard(payload);
      });
      const bye = next<PayloadOf<typeof sourceBye>>();
      await other.listen(sourceBye, (payload) => {
        said.push('bye');
        bye.heard(payload);
      });
      const running = await domain.serve(other);
      const first = await hello.wait();
      expect(first).toMatchObject({ source: domain.source });
      other.tell(rollCall, {});
      expect(await hello.wait()).toEqual(first);
      await running.close();
      expect(await bye.wait()).toEqual({ source: domain.source, instance: first.instance });
      expect(said).toEqual(['hello', 'hello', 'bye']);
      await other.close();
    });
  });
}

/** The same bus to all but those who ask how much a message may hold. */
const smallBus = (bus: Bus, maxPayload: number): Bus => ({
  maxPayload,
  ask: (...given) => bus.ask(...given),
  serve: (...given) => bus.serve(...given),
  tell: (...given) => bus.tell(...given),
  listen: (...given) => bus.listen(...given),
  close: () => bus.close(),
});

/** What is heard, one after another. */
function next<T>() {
  const heard: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    heard: (value: T) => (waiting.shift() ?? ((late: T) => heard.push(late)))(value),
    wait: () => new Promise<T>((resolve) => (heard.length > 0 ? resolve(heard.shift()!) : waiting.push(resolve))),
  };
}
