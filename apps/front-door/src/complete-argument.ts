import { Fault, type ReplyOf, complete } from '@portico/contracts';
import { askDomain } from './ask-domain.js';
import { authorise } from './authorise.js';
import { takeContext } from './context/call-context.js';
import { faultAnswer } from './fault-to-rpc.js';
import type { FrontDoor } from './front-door.js';
import { type Answer, type McpRequest, invalidParams, isRecord } from './mcp-request.js';
import type { PublishedCatalogue } from './published-catalogue.js';
import { resultAnswer } from './result-answer.js';

/** The gateway itself proposes no values. */
const NOTHING: ReplyOf<ReturnType<typeof complete>> = { completion: { values: [] } };

/** Completes an argument of a prompt or of a resource template, at the source that publishes it. */
export async function completeArgument(request: McpRequest, door: FrontDoor): Promise<Answer> {
  const { ref, argument, context: others } = request.params;
  if (!isRecord(ref)) return invalidParams('ref must be an object.');
  if (!isRecord(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    return invalidParams('argument must have a name and a value, both strings.');
  }
  await door.catalogue.forList();
  const route = routeOf(ref, door.catalogue.catalogue);
  if (route === undefined) return invalidParams('ref names no prompt and no resource template that is published here.');
  try {
    authorise(route, 'this', request, door);
    if (route.address === door.catalogue.gateway.address) return resultAnswer(NOTHING, request.era, door);
    const payload = {
      ref: route.ref,
      argument: { name: argument['name'], value: argument['value'] },
      ...(isRecord(others) && { context: others }),
    };
    const result = await askDomain(route.address, request.principal, takeContext(request), door, (context) =>
      door.bus.ask(complete(route.address), payload, { signal: request.signal, context }),
    );
    return resultAnswer(result, request.era, door);
  } catch (error) {
    return faultAnswer(Fault.from(error), { era: request.era });
  }
}

function routeOf(ref: Record<string, unknown>, catalogue: PublishedCatalogue) {
  if (ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const resolution = catalogue.resolvePrompt(ref['name']);
    if (resolution.kind !== 'found') return undefined;
    const { address, prompt, fullName, effect } = resolution.item;
    return { address, fullName, effect, ref: { ...ref, type: 'ref/prompt', name: prompt } };
  }
  if (ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const route = catalogue.resolveTemplate(ref['uri']) ?? catalogue.resolveResource(ref['uri']);
    return route && { ...route, ref: { ...ref, type: 'ref/resource', uri: route.uri } };
  }
  return undefined;
}
