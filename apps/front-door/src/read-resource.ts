import { Fault, readResource as readResourceCall } from '@portico/contracts';
import { askDomain } from './ask-domain.js';
import { authorise } from './authorise.js';
import { takeContext } from './context/call-context.js';
import { forwardedMeta, inputRetry, isRetry } from './client-hints.js';
import { faultAnswer } from './fault-to-rpc.js';
import type { FrontDoor } from './front-door.js';
import { inOperation } from './operation-span.js';
import { type Answer, type McpRequest, invalidParams } from './mcp-request.js';
import { resultAnswer } from './result-answer.js';

/** Reads a resource from whichever source publishes its URI, or a template that matches it. */
export async function readResource(request: McpRequest, door: FrontDoor): Promise<Answer> {
  const { uri } = request.params;
  if (typeof uri !== 'string' || uri === '') return invalidParams('uri must be a non-empty string.');
  await door.catalogue.forList();
  const route = door.catalogue.catalogue.resolveResource(uri);
  if (route === undefined) return faultAnswer(new Fault('NOT_FOUND', 'Resource not found.'), { uri });
  const cacheable = { ttlMs: 0, cacheScope: 'private' } as const;
  try {
    authorise(route, 'this resource', request, door);
    const { gateway } = door.catalogue;
    if (route.address === gateway.address) {
      // What there is may be told however much it is, as lists are.
      const whole = { resultLimitBytes: Infinity };
      return resultAnswer(gateway.readResource(route.uri, request.principal), request.era, whole, cacheable);
    }
    const result = await inOperation('resources/read', '', takeContext(request), (taken) =>
      askDomain(route.address, request.principal, taken, door, (context) =>
        door.bus.ask(
          readResourceCall(route.address),
          { uri: route.uri, client: forwardedMeta(request).client, ...inputRetry(request.params) },
          { deadlineMs: route.callTimeoutMs, signal: request.signal, context },
        ),
      ),
    );
    // A published URI may carry its domain's name; what comes back names the resource as it was asked for.
    const contents = result.contents?.map((content) => (content.uri === route.uri ? { ...content, uri } : content));
    return resultAnswer({ ...result, ...(contents !== undefined && { contents }) }, request.era, door, cacheable);
  } catch (error) {
    return faultAnswer(Fault.from(error), { uri, era: request.era, retry: isRetry(request.params) });
  }
}
