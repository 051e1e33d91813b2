import type { ReplyOf, SourceAddress, discoverCatalogue, discoveryHealth } from '@portico/contracts';
import { revisionOf } from '@portico/domain-kit';
import type { KnownSources } from './known-sources.js';
import type { LearntCatalogues } from './learnt-catalogues.js';

export type Overview = Omit<ReplyOf<typeof discoverCatalogue>, 'settling'>;
export type Health = ReplyOf<typeof discoveryHealth>;

/** All sources as they are seen from outside. Looking changes nothing, and asks nobody. */
export class CatalogueView {
  constructor(
    private readonly known: KnownSources,
    private readonly learnt: LearntCatalogues,
  ) {}

  overview(): Overview {
    const sources = this.known.addresses().map((source) => {
      const summary = this.learnt.states.summary(source);
      return this.learnt.breaker(source) === 'open' ? { ...summary, error: 'circuit_open' as const } : summary;
    });
    return { revision: this.revision(), sources };
  }

  health(): Health {
    return {
      sources: this.known.addresses().map((source) =>
        this.learnt.states.health(source, {
          silent: this.known.get(source)!.instances.size === 0,
          breaker: this.learnt.breaker(source),
        }),
      ),
    };
  }

  /** Equal content, equal revision, whichever instance computes it. */
  revision(): string {
    const published = this.known.addresses().flatMap((source) => {
      const revision = this.learnt.states.revision(source);
      return revision === undefined ? [] : [[source, revision]];
    });
    return revisionOf(published);
  }

  /** What of a source concerns those who publish it. `awaited`: that nothing is known of it yet does, too. */
  face(source: SourceAddress, awaited: boolean): string | undefined {
    if (!this.known.get(source)) return undefined;
    const revision = this.learnt.states.revision(source);
    if (revision !== undefined) return revision;
    const state = this.learnt.states.state(source);
    return state === 'pending' && !awaited ? undefined : state;
  }
}
