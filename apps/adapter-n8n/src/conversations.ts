import { sourceConversations } from '@portico/domain-kit';

/** What this service does on the bus: its permissions there are made of it. */
export const conversations = sourceConversations('domain.n8n');
