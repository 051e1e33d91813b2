import { z } from 'zod';

/** What a running call says before it answers: MCP notifications of progress and log lines, in order. */
export const Notice = z.object({
  method: z.enum(['notifications/progress', 'notifications/message']),
  params: z.record(z.string(), z.unknown()),
});
export type Notice = z.infer<typeof Notice>;
