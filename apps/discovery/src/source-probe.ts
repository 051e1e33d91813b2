import type { Bus } from '@portico/bus';
import { Fault, describeSource } from '@portico/contracts';
import type { CataloguePage, SourceAddress, SourceCatalogue } from '@portico/contracts';
import { retry } from '@portico/resilience';
import { canPass } from './discovery-error.js';

export interface ProbeOptions {
  /** Milliseconds for all of it: every page, every attempt. */
  readonly deadlineMs: number;
  /** Whether the source's service must ask anew instead of answering from memory. */
  readonly refresh: boolean;
  readonly signal: AbortSignal;
}

const ATTEMPTS = 3;
const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 1_000;
/** More pages than any real catalogue has: a source that never ends is ended. */
const MOST_PAGES = 1_000;

/** Asks a source for all it publishes. Rejects with the Fault of the last attempt, within the deadline. */
export function probeSource(bus: Bus, source: SourceAddress, options: ProbeOptions): Promise<SourceCatalogue> {
  const end = performance.now() + options.deadlineMs;
  const remainingMs = (): number => end - performance.now();
  let failure: Fault | undefined;
  const attempt = async (): Promise<SourceCatalogue> => {
    // No time is left after the rest: what went wrong before it says more than that.
    if (failure !== undefined && remainingMs() <= 0) throw failure;
    try {
      return await readPages(bus, source, remainingMs, options);
    } catch (error) {
      failure = Fault.from(error);
      throw failure;
    }
  };
  return retry(attempt, {
    attempts: ATTEMPTS,
    firstDelayMs: FIRST_REST_MS,
    longestDelayMs: LONGEST_REST_MS,
    canPass: (error) => canPass(error) && remainingMs() > 0,
    signal: options.signal,
  });
}

async function readPages(
  bus: Bus,
  source: SourceAddress,
  remainingMs: () => number,
  { refresh, signal }: ProbeOptions,
): Promise<SourceCatalogue> {
  const call = describeSource(source);
  const first = await bus.ask(call, { refresh }, { deadlineMs: remainingMs(), signal });
  const pages = [first];
  for (let page = first; page.nextCursor !== undefined;) {
    if (pages.length === MOST_PAGES) throw new Fault('UNKNOWN_ERROR', 'The source publishes more than can be read.');
    page = await nextPage(() => bus.ask(call, { cursor: page.nextCursor }, { deadlineMs: remainingMs(), signal }));
    if (page.revision !== first.revision) throw changedMeanwhile();
    pages.push(page);
  }
  return {
    revision: first.revision,
    identity: first.identity,
    tools: pages.flatMap(({ tools }) => tools),
    resources: pages.flatMap(({ resources }) => resources),
    resourceTemplates: pages.flatMap(({ resourceTemplates }) => resourceTemplates),
    prompts: pages.flatMap(({ prompts }) => prompts),
  };
}

/** A cursor that is refused was given for a catalogue that is no more: read from the start, it can be read. */
async function nextPage(ask: () => Promise<CataloguePage>): Promise<CataloguePage> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof Fault && error.code === 'INVALID_ARGUMENTS' ? changedMeanwhile() : error;
  }
}

const changedMeanwhile = (): Fault =>
  new Fault('CONFLICT', 'The source changed while it was read.', { executed: 'no' });
