import type { IncomingMessage } from 'node:http';
import type { FaultCode } from '@portico/contracts';
import type { Refusal } from '../http-guards.js';
import { CALL_SCOPE } from './principal-names.js';

export interface ChallengeSettings {
  /** What callers are told to do. */
  readonly hint: string;
  /** Where the metadata document is, for a request; undefined: there is none. */
  readonly metadataUrl?: (req: IncomingMessage) => string | undefined;
  /** Whether callers are told which scope to ask the issuer for. */
  readonly scope?: boolean;
}

/** How callers are turned away who did not prove who they are (RFC 6750). Nothing of what they sent is repeated. */
export class Challenges {
  constructor(private readonly settings: ChallengeSettings) {}

  /** Nothing was sent, or another kind of credential: no error code then. */
  absent(req: IncomingMessage): Refusal {
    return this.refusal(req, 401, 'UNAUTHENTICATED', `No credential was sent. ${this.settings.hint}`);
  }

  invalidRequest(req: IncomingMessage, why: string): Refusal {
    return this.refusal(req, 400, 'INVALID_ARGUMENTS', `${why} ${this.settings.hint}`, 'invalid_request', why);
  }

  /** `why` is one sentence of plain ASCII without quotes. */
  invalidToken(req: IncomingMessage, why: string): Refusal {
    return this.refusal(req, 401, 'UNAUTHENTICATED', why, 'invalid_token', why);
  }

  insufficientScope(req: IncomingMessage): Refusal {
    const why = `The scope ${CALL_SCOPE} is needed to list and call.`;
    return this.refusal(req, 403, 'PERMISSION_DENIED', why, 'insufficient_scope', why);
  }

  private refusal(
    req: IncomingMessage,
    status: number,
    faultCode: FaultCode,
    message: string,
    error?: string,
    description?: string,
  ): Refusal {
    const { metadataUrl, scope = false } = this.settings;
    const metadata = metadataUrl?.(req);
    const asked = status === 403 || (scope && status === 401);
    const parameters = [
      metadata === undefined ? 'realm="portico"' : `resource_metadata="${metadata}"`,
      error !== undefined && `error="${error}"`,
      description !== undefined && `error_description="${description}"`,
      asked && `scope="${CALL_SCOPE}"`,
    ];
    const challenge = `Bearer ${parameters.filter((parameter) => parameter !== false).join(', ')}`;
    return { status, code: -32000, message, faultCode, headers: { 'WWW-Authenticate': challenge } };
  }
}
