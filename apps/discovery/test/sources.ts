import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@portico/bus';
import type { SourceAddress, SourceCatalogue } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import type { ServedSource } from '@portico/domain-kit';

type Content = Omit<SourceCatalogue, 'revision'>;

/** A catalogue of these tools and nothing else. */
export const catalogueOf = (...names: string[]): Content => ({
  identity: {
    description: 'A source of a test.',
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: { tools: {} },
    mount: 'namespace',
    callTimeoutMs: 30_000,
  },
  tools: names.map((name) => ({ definition: { name, inputSchema: { type: 'object' } }, policy: { effect: 'read' } })),
  resources: [],
  resourceTemplates: [],
  prompts: [],
});

/** Never answers; ends when it is told to. */
export const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

/** A real source on the bus whose answer a test decides, and which counts how often it was asked. */
export interface TestSource extends ServedSource {
  readonly address: SourceAddress;
  /** Times it was asked for its catalogue. */
  asked: number;
  /** What it answers, or how it fails, from the next time on. */
  answer: (signal: AbortSignal) => Content | Promise<Content>;
}

export async function openSource(
  bus: Bus,
  address: SourceAddress,
  answer: TestSource['answer'],
  options: { configuration?: string; connectTimeoutMs?: number; instance?: string } = {},
): Promise<TestSource> {
  const source = { address, asked: 0, answer };
  const served = await serveSource(
    bus,
    {
      address,
      version: '1.0.0',
      configuration: options.configuration ?? 'a',
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      catalogue: async ({ signal }) => {
        source.asked++;
        return source.answer(signal);
      },
      callTool: async () => ({ content: [] }),
    },
    { instance: options.instance ?? 'one' },
  );
  return Object.assign(source, served);
}

/** Waits until it is so; fails with the last thing that was not so after 5 s. */
export async function eventually(expectation: () => void | Promise<void>): Promise<void> {
  const end = performance.now() + 5_000;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(10);
    }
  }
}
