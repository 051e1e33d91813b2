import type { Bus } from '@portico/bus';
import {
  type CataloguePage,
  Fault,
  type SourceAddress,
  type SourceCatalogue,
  type StopSignal,
  discoverSource,
} from '@portico/contracts';

/** A catalogue that changes while it is read is begun again at most so often. */
const ATTEMPTS = 3;

/** One source's catalogue from discovery, all pages of one revision. Rejects with the Fault that kept it from us. */
export async function fetchCatalogue(
  bus: Bus,
  source: SourceAddress,
  options: { deadlineMs?: number; signal?: StopSignal },
): Promise<SourceCatalogue> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readPages(bus, source, options);
    } catch (error) {
      // A cursor of a revision that is gone is refused as INVALID_ARGUMENTS: the source has changed meanwhile.
      if (attempt === ATTEMPTS || !(error instanceof Fault) || error.code !== 'INVALID_ARGUMENTS') throw error;
    }
  }
}

async function readPages(
  bus: Bus,
  source: SourceAddress,
  options: { deadlineMs?: number; signal?: StopSignal },
): Promise<SourceCatalogue> {
  const pages: CataloguePage[] = [];
  let cursor: string | undefined;
  do {
    const page: CataloguePage = await bus.ask(discoverSource, { source, cursor }, options);
    if (pages[0] !== undefined && page.revision !== pages[0].revision) {
      throw new Fault('INVALID_ARGUMENTS', 'The catalogue changed while it was read.');
    }
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const { revision, identity } = pages[0] as CataloguePage;
  return {
    revision,
    identity,
    tools: pages.flatMap((page) => page.tools),
    resources: pages.flatMap((page) => page.resources),
    resourceTemplates: pages.flatMap((page) => page.resourceTemplates),
    prompts: pages.flatMap((page) => page.prompts),
  };
}
