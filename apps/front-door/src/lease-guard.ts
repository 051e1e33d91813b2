import { type CallContext, ContextId, Fault, type Principal, guardLease as askGuard } from '@portico/contracts';
import { TASK_ARGUMENT } from './context/context-schemas.js';
import type { FrontDoor } from './front-door.js';
import { isRecord } from './mcp-request.js';
import type { PublishedTool } from './published-tool.js';

/** Longest resource that can be leased, in characters. */
const LONGEST_RESOURCE = 512;

/**
 * For a tool whose policy asks for a lease: checks that the one shown in `_task` is live, the caller's and for this very
 * resource, and has it last as long as the call may. Gives the context with the real lease in it; throws LEASE_REQUIRED,
 * LEASE_EXPIRED, or BACKEND_UNAVAILABLE when that can not be told, always with nothing executed.
 */
export async function guardLease(
  tool: PublishedTool,
  args: Record<string, unknown>,
  task: unknown,
  context: CallContext,
  door: FrontDoor,
): Promise<CallContext> {
  const { lease } = tool.policy;
  if (lease === undefined) return context;
  const resource = resourceOf(lease.resource, args);
  const { leaseId, taskId } = shownLease(task, resource);
  const verdict = await ask(resource, leaseId, tool.callTimeoutMs, context.principal, door);
  switch (verdict.verdict) {
    case 'live':
      return {
        ...context,
        ...(taskId !== undefined && { taskId }),
        leaseRef: verdict.leaseRef,
        leaseFence: verdict.fence,
      };
    case 'ended':
      throw refused('LEASE_EXPIRED', `The lease on ${resource} has ended. Take a new one with task.acquire.`);
    case 'held':
      throw refused(
        'LEASE_REQUIRED',
        `${resource} is leased by ${verdict.agent ?? 'another'} (lease_ref ${verdict.leaseRef}) until ${verdict.expiresAt}.`,
      );
  }
}

async function ask(
  resource: string,
  leaseId: string,
  keepMs: number,
  principal: Pick<Principal, 'tenant' | 'subject'>,
  door: FrontDoor,
) {
  try {
    // The call's own deadline begins when this has answered.
    return await door.bus.ask(askGuard, { principal, resource, leaseId, keepMs: keepMs + askGuard.deadlineMs });
  } catch (cause) {
    // Whatever went wrong, nothing is known of the lease: the tool stays closed.
    throw new Fault('BACKEND_UNAVAILABLE', 'Whether the lease is live can not be told now.', { executed: 'no', cause });
  }
}

/** The resource that a call works on. What fills a place can not be read as part of another. */
function resourceOf(template: string, args: Record<string, unknown>): string {
  const resource = template.replaceAll(/\{([^{}]*)\}/g, (_place, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
      try {
        return encodeURIComponent(value);
      } catch {
        // Half a surrogate pair is no name of anything.
      }
    }
    throw refused('INVALID_ARGUMENTS', `${name} must be a text or a number: it tells what the call works on.`);
  });
  if (resource.length <= LONGEST_RESOURCE) return resource;
  throw refused('INVALID_ARGUMENTS', `What the call works on has a name longer than ${LONGEST_RESOURCE} characters.`);
}

function shownLease(task: unknown, resource: string): { leaseId: string; taskId?: string } {
  if (task !== undefined && !isRecord(task)) throw refused('INVALID_ARGUMENTS', `${TASK_ARGUMENT} must be an object.`);
  const { lease_id: leaseId, task_id: taskId } = task ?? {};
  const namedTask = ContextId.optional().safeParse(taskId);
  if (!namedTask.success)
    throw refused(
      'INVALID_ARGUMENTS',
      `${TASK_ARGUMENT}.task_id must be 1 to 128 of letters, digits, ".", "_", ":" and "-".`,
    );
  if (leaseId === undefined || leaseId === '')
    throw refused(
      'LEASE_REQUIRED',
      `This needs a lease on ${resource}: take one with task.acquire and show it in ${TASK_ARGUMENT}.lease_id.`,
    );
  if (typeof leaseId !== 'string' || leaseId.length > 256)
    throw refused('INVALID_ARGUMENTS', `${TASK_ARGUMENT}.lease_id must be a lease_id as task.acquire gave it.`);
  return { leaseId, ...(namedTask.data !== undefined && { taskId: namedTask.data }) };
}

const refused = (code: Fault['code'], message: string): Fault => new Fault(code, message, { executed: 'no' });
