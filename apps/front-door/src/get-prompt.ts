import { Fault, getPrompt as getPromptCall } from '@portico/contracts';
import { askDomain } from './ask-domain.js';
import { authorise } from './authorise.js';
import { takeContext } from './context/call-context.js';
import { forwardedMeta, inputRetry, isRetry } from './client-hints.js';
import { faultAnswer } from './fault-to-rpc.js';
import type { FrontDoor } from './front-door.js';
import { inOperation } from './operation-span.js';
import { type Answer, type McpRequest, invalidParams, isRecord } from './mcp-request.js';
import { someOf } from './resolve-tool.js';
import { resultAnswer } from './result-answer.js';

/** Gets `<domain>.<prompt>` from its source. */
export async function getPrompt(request: McpRequest, door: FrontDoor): Promise<Answer> {
  const { name, arguments: args } = request.params;
  if (typeof name !== 'string') return invalidParams('name must be a string.');
  if (args !== undefined && !isRecord(args)) return invalidParams('arguments must be an object.');
  if (door.catalogue.catalogue.resolvePrompt(name).kind === 'unknown')
    await door.catalogue.ensureAsked(name, request.signal);
  const resolution = door.catalogue.catalogue.resolvePrompt(name);
  if (resolution.kind === 'unknown')
    return faultAnswer(new Fault('NOT_FOUND', 'Prompt not found. prompts/list tells what there is.'));
  if (resolution.kind === 'ambiguous') {
    return faultAnswer(new Fault('INVALID_ARGUMENTS', `Ambiguous prompt: it could be ${someOf(resolution.names)}.`));
  }
  const prompt = resolution.item;
  try {
    authorise(prompt, prompt.shown, request, door);
    const { client } = forwardedMeta(request);
    const result = await inOperation('prompts/get', prompt.shown, takeContext(request), (taken) =>
      askDomain(prompt.address, request.principal, taken, door, (context) =>
        door.bus.ask(
          getPromptCall(prompt.address),
          { name: prompt.prompt, arguments: args, client, ...inputRetry(request.params) },
          { deadlineMs: prompt.callTimeoutMs, signal: request.signal, context },
        ),
      ),
    );
    return resultAnswer(result, request.era, door);
  } catch (error) {
    return faultAnswer(Fault.from(error), { era: request.era, retry: isRetry(request.params) });
  }
}
