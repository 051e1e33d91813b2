import { createHash } from 'node:crypto';
import type { CacheQuestion, Principal } from '@portico/contracts';
import type { PublishedTool } from '../published-tool.js';
import { canonicalJson, inNfc } from './canonical-json.js';

/** What holds for all tools whose policy says nothing of it. */
export interface CacheDefaults {
  /** Least score of an entry that answers a question that is not equal to its own. */
  readonly threshold: number;
  readonly ttlSeconds: number;
}

/** Least cosine of an entry that is looked at more closely. */
const CANDIDATES = 0.85;

/** Of each definition, once: two versions of a tool answer for each other never. */
const schemaHashes = new WeakMap<object, string>();

/** Whether answers of the tool may be kept at all: only of reads, and only where the policy says so. */
export const isCacheable = ({ policy }: Pick<PublishedTool, 'policy'>): boolean =>
  policy.cache !== undefined && policy.effect === 'read' && policy.cache.store !== false;

/**
 * The question that a call puts to the cache, of arguments without our own. Texts in NFC, keys in any order, `1` and `1.0`
 * alike, `"1"` and `1` not. What the policy calls free text may be similar where it is a text; everything else must be equal.
 */
export function questionOf(
  tool: PublishedTool,
  args: Record<string, unknown>,
  { tenant, subject }: Pick<Principal, 'tenant' | 'subject'>,
  defaults: CacheDefaults,
): CacheQuestion {
  const { freeText = [], perSubject = false, ...rules } = tool.policy.cache ?? {};
  const scope = perSubject || tool.perPrincipal ? [tenant, subject] : [tenant];
  const place = [scope, tool.fullName, schemaHashOf(tool)];
  const texts = freeText.filter((name) => Object.hasOwn(args, name) && typeof args[name] === 'string');
  const equal = Object.fromEntries(Object.entries(args).filter(([name]) => !texts.includes(name)));
  return {
    tenant,
    tool: tool.fullName,
    keyHash: sha256(canonicalJson([place, args], inNfc)),
    ...(texts.length > 0 && {
      similar: {
        structHash: sha256(canonicalJson([place, texts, equal], inNfc)),
        texts: texts.map((name) => inNfc(args[name] as string)),
        candidates: rules.candidates ?? CANDIDATES,
        threshold: rules.threshold ?? defaults.threshold,
        verify: rules.verify ?? 'verifier',
        guards: rules.guards ?? 'on',
      },
    }),
  };
}

function schemaHashOf({ definition }: PublishedTool): string {
  const known = schemaHashes.get(definition);
  if (known !== undefined) return known;
  const hash = sha256(canonicalJson([definition.inputSchema, definition['outputSchema'] ?? null]));
  schemaHashes.set(definition, hash);
  return hash;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
