import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { declaredCapabilities, form, ask, accepted } from './asking.js';
import { NO_ARGUMENTS, pause, text } from './fixture-item.js';
import type { FixtureTool, Round } from './fixture-item.js';

const STEP_MS = 50;

async function reportProgress({ context }: Round, progress: number): Promise<void> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
}

/** Tools that speak while they run, change what is listed, or need something of the client. */
export const RUNNING_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_tool_with_logging',
    description: 'Logs three lines while it runs',
    inputSchema: NO_ARGUMENTS,
    run: async ({ context: { mcpReq } }) => {
      await mcpReq.log('info', 'Tool execution started');
      await pause(STEP_MS);
      await mcpReq.log('info', 'Tool processing data');
      await pause(STEP_MS);
      await mcpReq.log('info', 'Tool execution completed');
      return text('Logged three lines.');
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Reports its progress: 0, 50 and 100 of 100',
    inputSchema: NO_ARGUMENTS,
    run: async (round) => {
      await reportProgress(round, 0);
      await pause(STEP_MS);
      await reportProgress(round, 50);
      await pause(STEP_MS);
      await reportProgress(round, 100);
      return text('Reached 100 of 100.');
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Logs one line, for whoever asked for log lines',
    inputSchema: NO_ARGUMENTS,
    run: async ({ context: { mcpReq } }) => {
      await mcpReq.log('info', 'A line that only a client with a log level may see');
      return text('Logged one line.');
    },
  },
  {
    name: 'test_reconnection',
    description: 'Drops its stream, and answers when the client has come back for it',
    inputSchema: NO_ARGUMENTS,
    run: async ({ context }) => {
      context.http?.closeSSE?.();
      await pause(2 * STEP_MS);
      return text('Reconnection test completed successfully');
    },
  },
  {
    name: 'test_missing_capability',
    description: 'Works only for a client that can sample',
    inputSchema: NO_ARGUMENTS,
    run: (round) => {
      if (declaredCapabilities(round)['sampling'] === undefined) {
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      }
      return text('The client can sample.');
    },
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Reports progress, then asks the user to confirm',
    inputSchema: NO_ARGUMENTS,
    run: async (round) => {
      const answered = accepted(round, 'confirm');
      if (answered) return text(`Confirmed: ${String(answered['ok'])}`);
      await reportProgress(round, 50);
      return ask({ confirm: form('Go on?', { ok: { type: 'boolean' } }) });
    },
  },
  {
    name: 'test_trigger_tool_change',
    description: 'Changes the list of tools, and announces it',
    inputSchema: NO_ARGUMENTS,
    run: ({ announce }) => {
      announce('tools');
      return text('Changed the tools.');
    },
  },
  {
    name: 'test_trigger_prompt_change',
    description: 'Changes the list of prompts, and announces it',
    inputSchema: NO_ARGUMENTS,
    run: ({ announce }) => {
      announce('prompts');
      return text('Changed the prompts.');
    },
  },
];
