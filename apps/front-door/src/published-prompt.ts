import type { PromptDefinition, SourceAddress, SourceIdentity } from '@portico/contracts';
import type { z } from 'zod';
import type { LeftOut } from './left-out.js';
import type { Ruled } from './policy/policy.js';
import { publishedName, type Named } from './tool-names.js';
import { isShallow, withoutMalformed } from './well-formed.js';

type Definition = z.infer<typeof PromptDefinition>;

/** One prompt as the front door offers it. */
export interface PublishedPrompt extends Named, Ruled {
  readonly address: SourceAddress;
  /** Its name at the source; the same as `name`. */
  readonly prompt: string;
  readonly callTimeoutMs: number;
  readonly definition: Definition;
  readonly json: string;
}

/** A prompt of one source, ready but for the name to show, which depends on all others. */
export interface PreparedPrompt extends Omit<PublishedPrompt, 'shown' | 'json'> {
  made?: PublishedPrompt;
}

interface Preparation {
  readonly address: SourceAddress;
  readonly domain: string;
  readonly identity: SourceIdentity;
  readonly report: (left: LeftOut) => void;
}

/** What is offered of a source's prompt; nothing, with the reason reported, when no client could take it. */
export const preparePrompt = (
  entry: Definition,
  { address, domain, identity, report }: Preparation,
): PreparedPrompt | undefined => {
  const left = { domain, kind: 'prompt', name: entry.name } as const;
  if (!isShallow(entry)) return void report({ ...left, reason: 'its definition is nested too deeply' });
  const { definition, dropped } = withoutMalformed(entry, 'prompt');
  for (const key of dropped) report({ ...left, key, reason: `its ${key} is malformed` });
  const published = publishedName(domain, entry.name, identity.mount);
  return {
    address,
    domain,
    name: entry.name,
    prompt: entry.name,
    published,
    fullName: `${domain}.${entry.name}`,
    effect: 'read',
    callTimeoutMs: identity.callTimeoutMs,
    definition,
  };
};

/** The prompt under the name that clients are shown; the one made before when that has not changed. */
export const namePrompt = (prepared: PreparedPrompt, shown: string): PublishedPrompt => {
  if (prepared.made?.shown === shown) return prepared.made;
  const { made: _before, ...facts } = prepared;
  const definition = { ...prepared.definition, name: shown };
  prepared.made = Object.freeze({ ...facts, shown, definition, json: JSON.stringify(definition) });
  return prepared.made;
};
