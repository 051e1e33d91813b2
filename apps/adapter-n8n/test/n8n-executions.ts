export interface DoubleExecution {
  id: string;
  workflowId: string;
  status: string;
  finished: boolean;
  mode: string;
  startedAt: string;
  stoppedAt: string;
  data: unknown;
}

/** An execution as n8n keeps it, of a workflow that puts out what it was given, or fails. */
export const executionOf = (id: string, workflowId: string, output: unknown, fails: boolean): DoubleExecution => ({
  id,
  workflowId,
  status: fails ? 'error' : 'success',
  finished: !fails,
  mode: 'webhook',
  startedAt: '2026-11-30T08:00:00.000Z',
  stoppedAt: '2026-11-30T08:00:01.000Z',
  data: {
    startData: {},
    resultData: {
      lastNodeExecuted: 'Webhook',
      runData: { Webhook: [{ executionIndex: 0, data: { main: [[{ json: output, pairedItem: { item: 0 } }]] } }] },
      ...(fails && {
        error: {
          name: 'NodeOperationError',
          message: 'cannot read /home/node/.n8n/config',
          stack: 'NodeOperationError\n    at /usr/local/lib/node_modules/n8n/dist/node.js:7:7',
          node: { name: 'Stop', type: 'n8n-nodes-base.stopAndError', parameters: { secret: 'PARAMETER-SECRET' } },
        },
      }),
    },
  },
});
