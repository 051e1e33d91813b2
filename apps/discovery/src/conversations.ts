import {
  catalogueChanged,
  describeSource,
  discoverCatalogue,
  discoverSource,
  discoveryHealth,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHeartbeat,
  sourceHello,
} from '@portico/contracts';
import type { Conversations } from '@portico/contracts';

/** What this service does on the bus: its permissions there are made of it. */
export const conversations: Conversations = {
  serves: [discoverCatalogue, discoverSource, discoveryHealth],
  asks: [describeSource('domain.*'), describeSource('upstream.*')],
  tells: [rollCall, catalogueChanged],
  hears: [sourceHello, sourceBye, sourceHeartbeat, sourceChanged, catalogueChanged],
};
