import { Fault } from '@portico/contracts';
import type { ToolCallRequest } from '@portico/contracts';
import { parseRule } from './deny-rule.js';
import type { DenyRule } from './deny-rule.js';
import { plainKind } from './kinds.js';
import { UnreadableManifest, manifestKinds, valueKinds } from './manifest-kinds.js';

/** Denied until the operator allows it: what shows a credential, or runs a command where credentials are mounted. */
const DENIED_BY_DEFAULT = ['configuration_view', 'resources_*:Secret', 'pods_exec', 'pods_run'];

/** What may not be done on the cluster, whoever asks. */
export class DenyList {
  private readonly denied: readonly DenyRule[];
  private readonly lifted: readonly DenyRule[];
  private readonly byDefault = DENIED_BY_DEFAULT.map(parseRule);

  /** `deny` adds to the default list; `allow` lifts from the default list alone. Throws, in a sentence, for no rule. */
  constructor(deny: readonly string[], allow: readonly string[]) {
    this.denied = deny.map(parseRule);
    this.lifted = allow.map(parseRule);
  }

  /** Whether a tool may not be called whatever its arguments. */
  tool(name: string): boolean {
    return this.isDenied(name, undefined);
  }

  /**
   * Throws PERMISSION_DENIED (`executed: no`) for a call that touches a denied kind, and INVALID_ARGUMENTS for one whose
   * kinds cannot be told for certain.
   */
  checkKinds({ tool, arguments: given }: ToolCallRequest): void {
    if (!this.hasKindRules(tool)) return;
    for (const spelled of kindsOf(given)) {
      const kind = plainKind(spelled);
      if (kind === undefined) throw invalid('The kind of the resource is not one that Kubernetes could have.');
      if (this.isDenied(tool, kind)) {
        throw new Fault('PERMISSION_DENIED', `Resources of the kind "${spelled.trim()}" are not accessible here.`, {
          executed: 'no',
        });
      }
    }
  }

  private hasKindRules(tool: string): boolean {
    return [...this.byDefault, ...this.denied].some((rule) => rule.kind !== undefined && matches(rule.tool, tool));
  }

  private isDenied(tool: string, kind: string | undefined): boolean {
    const applies = (rule: DenyRule) => rule.kind === kind && matches(rule.tool, tool);
    return this.denied.some(applies) || (this.byDefault.some(applies) && !this.lifted.some(applies));
  }
}

/** Arguments that hold one word; any other text is read as a manifest. */
const WORDS = new Set(['apiversion', 'name', 'namespace', 'context', 'labelselector', 'fieldselector']);

function kindsOf(given: Record<string, unknown>): string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    const name = key.toLowerCase();
    if (name === 'kind') {
      if (typeof value !== 'string') throw invalid('The argument "kind" must be text.');
      return [value];
    }
    return typeof value === 'string' && WORDS.has(name) ? [] : readableKinds(key, value);
  });
}

function readableKinds(argument: string, value: unknown): string[] {
  try {
    return typeof value === 'string' ? manifestKinds(value) : valueKinds(value);
  } catch (error) {
    if (!(error instanceof UnreadableManifest)) throw error;
    throw invalid(
      `The manifest in ${JSON.stringify(argument.slice(0, 64))} ${error.message}, so it cannot be checked.`,
    );
  }
}

const invalid = (message: string): Fault => new Fault('INVALID_ARGUMENTS', message, { executed: 'no' });

/** Glob match in time linear in the name: each piece at its first place after the one before. */
function matches(glob: string, tool: string): boolean {
  const name = tool.toLowerCase();
  const pieces = glob.split('*');
  if (pieces.length === 1) return glob === name;
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}
