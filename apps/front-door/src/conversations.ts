import {
  cacheHoldings,
  callCancelled,
  callTool,
  catalogueChanged,
  complete,
  discoverCatalogue,
  discoverSource,
  discoveryHealth,
  eraseAnswers,
  getPrompt,
  guardLease,
  invalidateAnswers,
  invalidationConfirmed,
  invalidationPending,
  lookUpAnswer,
  readResource,
  receiptsWritten,
  reportShadowCheck,
  resourceUpdated,
  restoreTool,
  serverCalls,
  sourceHealth,
  sourceHeartbeat,
  storeAnswer,
  wentStale,
} from '@portico/contracts';
import type { Conversations } from '@portico/contracts';

const between = [callCancelled, invalidationPending, invalidationConfirmed, receiptsWritten, wentStale];

/** What this service does on the bus: its permissions there are made of it. */
export const conversations: Conversations = {
  serves: [],
  asks: [
    ...(['domain.*', 'upstream.*'] as const).flatMap((at) => [
      callTool(at),
      readResource(at),
      getPrompt(at),
      complete(at),
      sourceHealth(at),
    ]),
    discoverCatalogue,
    discoverSource,
    discoveryHealth,
    guardLease,
    lookUpAnswer,
    storeAnswer,
    invalidateAnswers,
    eraseAnswers,
    restoreTool,
    reportShadowCheck,
    cacheHoldings,
    ...Object.values(serverCalls),
  ],
  tells: between,
  hears: [...between, catalogueChanged, resourceUpdated, sourceHeartbeat],
};
