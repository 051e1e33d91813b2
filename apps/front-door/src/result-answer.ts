import { Fault } from '@portico/contracts';
import { faultAnswer } from './fault-to-rpc.js';
import type { FrontDoor } from './front-door.js';
import type { Answer } from './mcp-request.js';
import type { Era } from './protocol-revisions.js';
import { SERVER_INFO, SERVER_INFO_META_KEY } from './server-info.js';

interface SourceResult {
  readonly resultType?: string | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
}

/**
 * A result of a read, prompt or completion for a client of the given era: exact but for what each revision asks of every
 * result. `cacheable` completes what a source of an older revision could not say about keeping it.
 */
export function resultAnswer(
  result: SourceResult,
  era: Era,
  door: Pick<FrontDoor, 'resultLimitBytes'>,
  cacheable: { ttlMs: number; cacheScope: 'private' } | undefined = undefined,
): Answer {
  if (era === 'legacy') {
    const { resultType, ...rest } = result;
    if (resultType !== undefined && resultType !== 'complete') {
      return faultAnswer(
        new Fault(
          'UNSUPPORTED',
          'This needs input by a protocol revision that your client does not speak (2026-07-28).',
        ),
      );
    }
    return bounded(rest, door);
  }
  if (result.resultType !== undefined && result.resultType !== 'complete' && result.resultType !== 'input_required') {
    return faultAnswer(
      new Fault('UNKNOWN_ERROR', 'The source answered with a kind of result that is not served here.'),
    );
  }
  const complete = result.resultType === undefined || result.resultType === 'complete';
  return bounded(
    {
      ...(complete && cacheable),
      ...result,
      resultType: result.resultType ?? 'complete',
      _meta: { ...result._meta, [SERVER_INFO_META_KEY]: SERVER_INFO },
    },
    door,
  );
}

function bounded(result: object, { resultLimitBytes }: Pick<FrontDoor, 'resultLimitBytes'>): Answer {
  const json = JSON.stringify(result);
  const bytes = Buffer.byteLength(json);
  if (bytes <= resultLimitBytes) return { kind: 'result', json };
  return faultAnswer(
    new Fault('PAYLOAD_TOO_LARGE', `The result has ${bytes} bytes; at most ${resultLimitBytes} are passed on.`),
  );
}
