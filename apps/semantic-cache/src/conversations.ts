import {
  cacheHoldings,
  eraseAnswers,
  invalidateAnswers,
  lookUpAnswer,
  reportShadowCheck,
  restoreTool,
  storeAnswer,
} from '@portico/contracts';
import type { Conversations } from '@portico/contracts';

/** What this service does on the bus: its permissions there are made of it. */
export const conversations: Conversations = {
  serves: [lookUpAnswer, storeAnswer, invalidateAnswers, eraseAnswers, restoreTool, reportShadowCheck, cacheHoldings],
  asks: [],
  tells: [],
  hears: [],
};
