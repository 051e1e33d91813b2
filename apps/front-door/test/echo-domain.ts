import { type Domain, defineTool, toolResult } from '@portico/domain-kit';
import { Fault } from '@portico/contracts';
import { z } from 'zod';

/** A domain that can do everything a test wants of one, and counts what it really did. */
export function echoDomain(name = 'demo'): { domain: Domain; calls: string[]; aborted: string[]; release: () => void } {
  const calls: string[] = [];
  const aborted: string[] = [];
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const tool = (
    toolName: string,
    handle: (
      args: Record<string, unknown>,
      scope: Parameters<Parameters<typeof defineTool>[0]['handle']>[1],
    ) => unknown,
  ) =>
    defineTool({
      name: toolName,
      description: `The ${toolName} tool.`,
      input: z.looseObject({}),
      effect: 'read',
      handle: async (args, scope) => {
        calls.push(toolName);
        scope.signal.addEventListener('abort', () => aborted.push(toolName), { once: true });
        return (await handle(args, scope)) as never;
      },
    });
  return {
    calls,
    aborted,
    release: () => release(),
    domain: {
      name,
      description: 'A domain for tests.',
      version: '1.0.0',
      callTimeoutMs: 2_000,
      tools: [
        tool('echo', (args) => args),
        tool('structured', () =>
          toolResult({
            content: [{ type: 'text', text: 'x' }],
            structuredContent: { a: 1 },
            _meta: { 'example.com/k': 1 },
          }),
        ),
        tool('array', () => toolResult({ content: [], structuredContent: [1, 2] })),
        tool('exotic', () =>
          toolResult({
            content: [
              { type: 'text', text: 'a', annotations: { priority: 1 }, extra: [1] },
              { type: 'hologram', data: 'x' },
            ],
          }),
        ),
        tool('asks', () =>
          toolResult({
            resultType: 'input_required',
            inputRequests: { q: { method: 'elicitation/create' } },
            requestState: 's',
          } as never),
        ),
        tool('fails', () =>
          toolResult({
            content: [{ type: 'text', text: 'no such thing at http://10.0.0.7:8443/secret?token=abc' }],
            isError: true,
          }),
        ),
        tool('throws', () => {
          throw new Error('boom at /srv/app/secret.ts with password=hunter2');
        }),
        tool('conflict', () => {
          throw new Fault('CONFLICT', 'Somebody was faster.');
        }),
        tool('waits', async (_args, { signal }) => {
          await Promise.race([
            gate,
            new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
          ]);
          return 'done';
        }),
        tool('progress', async (_args, { progress }) => {
          for (const step of [1, 2, 3]) progress(step, 3, `step ${step}`);
          return 'done';
        }),
        tool('large', (args) => 'x'.repeat(Number(args['size']))),
      ],
    },
  };
}
