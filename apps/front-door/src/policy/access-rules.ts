import { DotGlob, type Principal, StarGlob } from '@portico/contracts';
import type { Access, Ruled } from './policy.js';
import { type AccessRule, isOpenToAll } from './policy-schema.js';

/** Principals to whom different rules apply, and decisions on tools, that are remembered. Both are worked out anew beyond. */
const ACCESSES_KEPT = 256;
const DECISIONS_KEPT = 4_096;

/** An access rule, ready to be asked. */
interface Rule {
  readonly subjects: readonly StarGlob[];
  readonly tenants: readonly StarGlob[];
  readonly scopes: readonly string[];
  readonly deny: readonly DotGlob[];
  readonly allow: readonly DotGlob[];
}

/** Who may see and call what, by the access rules in their order and by the default of the authentication mode. */
export class AccessRules {
  readonly #rules: readonly Rule[];
  readonly #known = new WeakMap<Principal, Access>();
  readonly #byRules = new Map<string, Access>();

  /** `openByDefault`: what no rule decides is allowed; otherwise only reads are. */
  constructor(
    private readonly given: readonly AccessRule[],
    private readonly openByDefault: boolean,
  ) {
    const stars = (patterns: readonly string[] = []) => patterns.map((pattern) => new StarGlob(pattern));
    const dots = (patterns: readonly string[] = []) => patterns.map((pattern) => new DotGlob(pattern));
    this.#rules = given.map(({ subjects, tenants, scopes = [], deny, allow }) => ({
      subjects: stars(subjects),
      tenants: stars(tenants),
      scopes,
      deny: dots(deny),
      allow: dots(allow),
    }));
  }

  /** The same object for principals to whom the same rules apply, as long as it is remembered. */
  accessOf(principal: Principal): Access {
    const known = this.#known.get(principal);
    if (known !== undefined) return known;
    const access = this.#accessBy(principal);
    this.#known.set(principal, access);
    return access;
  }

  #accessBy(principal: Principal): Access {
    const applying = this.#rules.flatMap((rule, index) => (applies(rule, principal) ? [index] : []));
    const key = applying.join();
    let access = this.#byRules.get(key);
    if (access === undefined) {
      access = new RuledAccess(
        applying.map((index) => this.#rules[index]!),
        this.openByDefault,
      );
      if (this.#byRules.size >= ACCESSES_KEPT) this.#byRules.delete(this.#byRules.keys().next().value!);
      this.#byRules.set(key, access);
    }
    return access;
  }

  /** One sentence about each denial that can never count. */
  warnings(): string[] {
    return this.given.flatMap(({ deny = [] }, index) =>
      deny
        .filter(isOpenToAll)
        .map((pattern) => `access[${index}].deny names ${pattern}, but gateway and task are open to every caller.`),
    );
  }
}

const applies = ({ subjects, tenants, scopes }: Rule, principal: Principal): boolean =>
  matchesAny(subjects, principal.subject) &&
  matchesAny(tenants, principal.tenant) &&
  (principal.scopes.includes('*') || scopes.every((scope) => principal.scopes.includes(scope)));

const matchesAny = (globs: readonly StarGlob[], text: string): boolean =>
  globs.length === 0 || globs.some((glob) => glob.matches(text));

const EVERY_TOOL = new DotGlob('*');

class RuledAccess implements Access {
  readonly all: boolean;
  /** Apart, so that no key is put together on the path of a call. */
  readonly #reads = new Map<string, boolean>();
  readonly #writes = new Map<string, boolean>();

  /** `rules`: those that apply, in their order. */
  constructor(
    private readonly rules: readonly Pick<Rule, 'deny' | 'allow'>[],
    private readonly openByDefault: boolean,
  ) {
    this.all = this.#deniesNothing();
  }

  allows({ fullName, effect }: Ruled): boolean {
    if (this.all) return true;
    const decisions = effect === 'read' ? this.#reads : this.#writes;
    const known = decisions.get(fullName);
    if (known !== undefined) return known;
    const decided = this.#decide(fullName, effect === 'read');
    if (decisions.size >= DECISIONS_KEPT) decisions.clear();
    decisions.set(fullName, decided);
    return decided;
  }

  #decide(fullName: string, isRead: boolean): boolean {
    if (isOpenToAll(fullName)) return true;
    for (const { deny, allow } of this.rules) {
      if (deny.some((glob) => glob.matches(fullName))) return false;
      if (allow.some((glob) => glob.matches(fullName))) return true;
    }
    return this.openByDefault || isRead;
  }

  #deniesNothing(): boolean {
    for (const { deny, allow } of this.rules) {
      if (deny.some(({ pattern }) => !isOpenToAll(pattern))) return false;
      if (allow.some((glob) => glob.covers(EVERY_TOOL))) return true;
    }
    return this.openByDefault;
  }
}
