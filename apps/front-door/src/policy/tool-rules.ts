import { DotGlob, type ToolPolicy } from '@portico/contracts';
import { type ToolRule, isOpenToAll } from './policy-schema.js';

/** The rules that say what tools do, in their order: the first that matches a tool is laid over what its source declares. */
export class ToolRules {
  readonly #rules: readonly { readonly glob: DotGlob; readonly says: Partial<ToolPolicy> }[];

  constructor(rules: readonly ToolRule[]) {
    this.#rules = rules.map(({ match, ...says }) => ({ glob: new DotGlob(match), says: says as Partial<ToolPolicy> }));
  }

  /** The tools of `gateway` and `task` keep their own policy: a lease must never be needed to acquire one. */
  policyOf(fullName: string, declared: ToolPolicy): ToolPolicy {
    if (isOpenToAll(fullName)) return declared;
    const rule = this.#rules.find(({ glob }) => glob.matches(fullName));
    return rule === undefined ? declared : Object.freeze({ ...declared, ...rule.says });
  }

  /** One sentence about each rule that can never count. */
  warnings(): string[] {
    return this.#rules.flatMap(({ glob }, index) => {
      if (isOpenToAll(glob.pattern))
        return [`tools[${index}] names ${glob.pattern}, but the tools of gateway and task keep their own policy.`];
      const earlier = this.#rules.findIndex((other) => other.glob.covers(glob));
      return earlier < index
        ? [
            `tools[${index}] (${glob.pattern}) never counts, as tools[${earlier}] (${this.#rules[earlier]!.glob.pattern}) comes first.`,
          ]
        : [];
    });
  }
}
