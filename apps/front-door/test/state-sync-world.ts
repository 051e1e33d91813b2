import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Domain, defineTool, toolResult } from '@portico/domain-kit';
import type { ToolPolicy } from '@portico/contracts';
import { z } from 'zod';
import { hashOfApiKey, newApiKey } from '../src/auth/api-key.js';
import { keyFileText } from '../src/auth/key-file.js';
import type { OpenDoor } from './open-door.js';

/** A domain that reads, and changes what it reads in every way there is. */
export const billing: Domain = {
  name: 'billing',
  description: 'For tests.',
  version: '1.0.0',
  tools: [
    tool('get_invoice', { effect: 'read', staleness: 'cached' }, () => 'an invoice'),
    tool('get_rate', { effect: 'read', staleness: 'stale' }, () => 'a rate'),
    tool('list', { effect: 'read' }, () => 'a list'),
    tool('refund', { effect: 'destructive', invalidates: ['billing.get_*', 'dashboard.invoices'] }, ({ as }) => {
      if (as === 'error') return toolResult({ content: [{ type: 'text', text: 'No.' }], isError: true });
      if (as === 'input')
        return toolResult({ resultType: 'input_required', inputRequests: {}, requestState: 's' } as never);
      if (as === 'data') return toolResult({ structuredContent: { refunded: 1 } });
      if (as === 'thrown') throw new Error('broken');
      return 'refunded';
    }),
    tool('pay', { effect: 'write', invalidates: ['billing.get_*'] }, () => 'paid'),
    tool('note', { effect: 'write' }, () => 'noted'),
  ],
};

function tool(
  name: string,
  policy: ToolPolicy,
  handle: (args: Record<string, unknown>) => ReturnType<typeof toolResult> | string,
) {
  return defineTool({
    name,
    description: `The ${name} tool.`,
    input: z.looseObject({ as: z.string().optional() }),
    ...policy,
    handle: (args) => Promise.resolve(handle(args)),
  });
}

/** Callers, each `<subject>@<tenant>`, their keys in a file; scopes as given, `portico:call` besides. */
export function callers(...given: (readonly [name: string, ...scopes: string[]])[]) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-callers-'));
  const file = join(folder, 'keys.json');
  const people = given.map(([name, ...more]) => {
    const { id, key } = newApiKey();
    const [subject, tenant] = name.split('@') as [string, string];
    const scopes = ['portico:call', ...more];
    const hash = hashOfApiKey(key).toString('hex');
    return { name, key, entry: { id, hash, subject, tenant, scopes, createdAt: new Date().toISOString() } };
  });
  writeFileSync(file, keyFileText(people.map(({ entry }) => entry)), { mode: 0o600 });
  return {
    env: { AUTH_MODE: 'api-key', API_KEYS_FILE: file, RATE_LIMIT_PER_SECOND: '0' },
    key: (name: string): string => people.find((person) => person.name === name)?.key as string,
    as(name: string) {
      return { Authorization: `Bearer ${this.key(name)}` };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(condition: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> {
  for (const end = Date.now() + ms; !(await condition()); await pause(5))
    if (Date.now() > end) throw new Error('It did not happen.');
}

/** The URIs that a stream was told have changed. */
export const told = ({
  messages,
}: {
  readonly messages: readonly { method?: string; params: { uri: string } }[];
}): string[] =>
  messages.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params.uri);

/** Lists until the domain is there. */
export const ready = (door: OpenDoor, domain = 'billing', headers: Record<string, string> = {}): Promise<void> =>
  until(async () =>
    (await door.rpc('tools/list', {}, { headers })).message.result.tools.some(({ name }: { name: string }) =>
      name.startsWith(`${domain}.`),
    ),
  );
