import { sourceHeartbeat, sourceName } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import type { Bus } from '@portico/bus';

const BEAT_MS = 1_000;
/** Sources named in one message, so that it fits any bus. */
const MOST_SOURCES = 1_000;

interface Heart {
  readonly sources: Set<SourceAddress>;
  readonly timer: NodeJS.Timeout;
}

const hearts = new WeakMap<Bus, Map<string, Heart>>();

/**
 * Tells every second that this instance lives and serves the source, until the function it returns is called. All
 * sources of an instance on a bus share one heartbeat.
 */
export function keepAlive(bus: Bus, instance: string, source: SourceAddress): () => void {
  const instances = hearts.get(bus) ?? new Map<string, Heart>();
  hearts.set(bus, instances);
  const heart = instances.get(instance) ?? begin(bus, instance);
  instances.set(instance, heart);
  heart.sources.add(source);
  return () => {
    heart.sources.delete(source);
    if (heart.sources.size > 0) return;
    clearInterval(heart.timer);
    if (instances.get(instance) === heart) instances.delete(instance);
  };
}

function begin(bus: Bus, instance: string): Heart {
  const sources = new Set<SourceAddress>();
  const beat = (): void => {
    const all = [...sources];
    const service = all[0]!.startsWith('upstream.') ? 'upstreams' : sourceName(all[0]!);
    for (let start = 0; start < all.length; start += MOST_SOURCES) {
      bus.tell(sourceHeartbeat, { service, instance, sources: all.slice(start, start + MOST_SOURCES) });
    }
  };
  // What keeps the process alive is its bus.
  return { sources, timer: setInterval(beat, BEAT_MS).unref() };
}
