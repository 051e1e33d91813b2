import { SourceName, isDotGlob } from '@portico/contracts';
import type { CallScope } from './call-scope.js';
import type { DomainPrompt } from './prompt.js';
import type { DomainResource } from './resource.js';
import type { SourceHealthReport } from './serve-source.js';
import type { DomainTool } from './tool.js';

/** All that makes a domain: what it offers, and how it is. */
export interface Domain {
  /** What stands before the dot of its tools' names. */
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly tools: readonly DomainTool[];
  readonly resources?: readonly DomainResource[];
  readonly prompts?: readonly DomainPrompt[];
  readonly instructions?: string;
  /** Milliseconds a call may take whose tool says nothing else; 30,000 unless given. */
  readonly callTimeoutMs?: number;
  /** Absent: `up` as long as it answers. Asks its backend, within the scope's deadline. */
  health?(scope: CallScope): Promise<SourceHealthReport>;
  /** Run before it is served: each answers a sentence when something is wrong. They touch no backend. */
  readonly checks?: readonly (() => string | undefined)[];
}

const ITEM_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Arguments that the front door adds to a tool's schema; with a lease, a tool must leave them free. */
const RESERVED_ARGUMENTS = ['_gateway_context', '_task'];

/** Everything wrong with a domain, a sentence each; empty when it may be served. */
export function domainProblems(domain: Domain): string[] {
  const problems: string[] = [];
  if (!SourceName.safeParse(domain.name).success) problems.push('Its name must be 1 to 32 of a-z, 0-9 and "-".');
  if (domain.description.trim() === '') problems.push('It has no description.');
  problems.push(
    ...nameProblems(
      'tool',
      domain.tools.map(({ name }) => name),
    ),
  );
  problems.push(
    ...nameProblems(
      'prompt',
      (domain.prompts ?? []).map(({ name }) => name),
    ),
  );
  for (const twice of duplicates((domain.resources ?? []).map(({ template }) => template.template))) {
    problems.push(`Two resources have the template "${twice}".`);
  }
  for (const tool of domain.tools) problems.push(...toolProblems(tool));
  for (const check of domain.checks ?? []) problems.push(...[check()].filter((problem) => problem !== undefined));
  return problems;
}

function nameProblems(kind: string, names: readonly string[]): string[] {
  return [
    ...duplicates(names).map((name) => `Two of its ${kind}s are named "${name}".`),
    ...names
      .filter((name) => !ITEM_NAME.test(name))
      .map((name) => `"${name}" is no ${kind} name: 1 to 64 letters, digits, "_" and "-", a letter first.`),
  ];
}

function toolProblems({ name, listing: { definition, policy, callTimeoutMs }, input }: DomainTool): string[] {
  const problems: string[] = [];
  const say = (problem: string) => problems.push(`The tool "${name}" ${problem}`);
  const isArgument = (argument: string) => Object.hasOwn(input.shape, argument);
  if (String(definition['description'] ?? '').trim() === '') say('has no description.');
  if (callTimeoutMs !== undefined && !(Number.isInteger(callTimeoutMs) && callTimeoutMs > 0))
    say('has a callTimeoutMs that is no positive whole number.');
  for (const pattern of policy.invalidates ?? []) {
    if (!isDotGlob(pattern)) say(`invalidates "${pattern}", which is no dot-glob.`);
  }
  if (policy.effect !== 'read' && (policy.cache || policy.staleness === 'cached'))
    say('is cached, but only a read may be.');
  for (const argument of policy.cache?.freeText ?? []) {
    if (!isArgument(argument)) say(`calls "${argument}" free text, which is none of its arguments.`);
  }
  for (const [, argument] of policy.lease?.resource.matchAll(/\{([^{}]*)\}/g) ?? []) {
    if (!isArgument(argument!)) say(`leases by "${argument}", which is none of its arguments.`);
  }
  if (policy.lease) {
    for (const reserved of RESERVED_ARGUMENTS.filter(isArgument))
      say(`needs a lease and so cannot have an argument "${reserved}".`);
  }
  return problems;
}

const duplicates = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];
