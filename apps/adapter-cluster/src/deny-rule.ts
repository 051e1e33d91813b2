import { plainKind } from './kinds.js';

/** One thing that may not be done: a tool, or a tool on one kind of resource. */
export interface DenyRule {
  /** Lower case; `*` stands for any run of characters. */
  readonly tool: string;
  /** As `plainKind` has it. */
  readonly kind?: string;
}

const RULE = /^([A-Za-z0-9_*.-]{1,128})(?::([A-Za-z0-9./-]{1,253}))?$/;

/** Reads `tool` or `tool:Kind`, `*` in the tool's name for anything. Throws, in a sentence, for anything else. */
export function parseRule(text: string): DenyRule {
  const [, tool, kind] = RULE.exec(text) ?? [];
  const plain = kind === undefined ? undefined : plainKind(kind);
  if (tool === undefined || (kind !== undefined && plain === undefined)) {
    throw new Error(
      `${JSON.stringify(text.slice(0, 100))} is neither a tool ("pods_exec", "helm_*") nor a tool on a kind ("resources_*:Secret")`,
    );
  }
  return { tool: tool.toLowerCase(), ...(plain !== undefined && { kind: plain }) };
}
