import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { type JWTPayload, errors, jwtVerify } from 'jose';
import type { Refusal } from '../http-guards.js';
import type { JwtConfig } from './auth-settings.js';
import type { Authenticator } from './authenticator.js';
import { Challenges } from './challenges.js';
import { KEY_TIMING, KeySet, type KeyTiming, KeysUnavailable } from './key-set.js';
import { CALL_SCOPE } from './principal-names.js';
import { principalOfClaims } from './principal-of-claims.js';
import { readCredential } from './read-credential.js';
import { RememberedTokens } from './remembered-tokens.js';
import { resourceAtHost } from './resource-address.js';

/** Milliseconds. */
export interface TokenTiming extends KeyTiming {
  readonly rememberMs: number;
  /** How far the issuer's clock may be from ours. */
  readonly toleranceMs: number;
}

const TOKEN_TIMING: TokenTiming = { ...KEY_TIMING, rememberMs: 60_000, toleranceMs: 5_000 };

/** Tokens that are verified at once; nobody has come in yet, so no limit of a principal holds for them. */
const MOST_AT_ONCE = 256;

/** `AUTH_MODE=jwt`: an OAuth 2.1 resource server. A token is verified, and remembered by its hash for a little while. */
export class JwtAuthenticator implements Authenticator {
  private readonly keys: KeySet;
  private readonly remembered: RememberedTokens;
  private readonly challenges: Challenges;
  private readonly toleranceSecs: number;
  private verifying = 0;

  constructor(
    private readonly config: JwtConfig,
    private readonly log: Log,
    timing: Partial<TokenTiming> = {},
  ) {
    const times = { ...TOKEN_TIMING, ...timing };
    this.remembered = new RememberedTokens(times.rememberMs);
    this.toleranceSecs = times.toleranceMs / 1_000;
    this.keys = new KeySet(config.jwksUrl, log, () => this.remembered.forgetAll(), times);
    this.challenges = new Challenges({
      hint:
        config.header === 'authorization'
          ? 'Send Authorization: Bearer, and an access token after it.'
          : 'The proxy in front of this server has to send a token.',
      metadataUrl: (req) => (config.resource ?? resourceAtHost(req.headers.host))?.metadataUrl,
      // Where tokens need not name it, the issuer may not know it.
      scope: !config.defaultScopes.includes(CALL_SCOPE),
    });
  }

  authenticate(req: IncomingMessage): Principal | Refusal | Promise<Principal | Refusal> {
    const token = readCredential(req, this.config.header, this.challenges);
    if (typeof token !== 'string') return token;
    const digest = hash('sha256', token, 'base64');
    const known = this.remembered.get(digest);
    if (known !== undefined) return known;
    return this.verifying < MOST_AT_ONCE ? this.verify(req, token, digest) : BUSY;
  }

  close(): void {
    this.keys.close();
  }

  private async verify(req: IncomingMessage, token: string, digest: string): Promise<Principal | Refusal> {
    const { issuer, audience, algorithms } = this.config;
    const { era } = this.remembered;
    let claims: JWTPayload;
    this.verifying += 1;
    try {
      const verified = await jwtVerify(token, this.keys.find, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: this.toleranceSecs,
        requiredClaims: ['exp', 'sub'],
      });
      claims = verified.payload;
    } catch (error) {
      if (error instanceof KeysUnavailable) return unavailable(error);
      if (!(error instanceof errors.JOSEError)) this.log.warn('token.verification-failed', { error });
      return this.challenges.invalidToken(req, whyRefused(error));
    } finally {
      this.verifying -= 1;
    }
    const principal = principalOfClaims(claims, this.config);
    if (principal === 'subject') return this.challenges.invalidToken(req, 'The token names no subject.');
    if (principal === 'tenant') return NO_TENANT;
    if (!principal.scopes.includes(CALL_SCOPE)) return this.challenges.insufficientScope(req);
    // A request that came with the same token at the same time may have been faster: all have one principal.
    const known = this.remembered.get(digest);
    if (known === undefined) this.remembered.remember(digest, principal, (claims.exp as number) * 1_000, era);
    return known ?? principal;
  }
}

/** No other scope would help, so it is no challenge. */
const NO_TENANT: Refusal = {
  status: 403,
  code: -32000,
  message: 'The token names no tenant.',
  faultCode: 'PERMISSION_DENIED',
};

const BUSY: Refusal = {
  status: 503,
  code: -32000,
  message: 'Too many tokens are verified at once. Try again in a moment.',
  faultCode: 'BACKEND_UNAVAILABLE',
  retryAfterMs: 1_000,
};

const unavailable = ({ retryAfterMs }: KeysUnavailable): Refusal => ({
  status: 503,
  code: -32000,
  message: 'Tokens can not be verified now: the keys of their issuer are not to be had. Try again later.',
  faultCode: 'BACKEND_UNAVAILABLE',
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** Of the token itself nothing is repeated. */
function whyRefused(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return CLAIMS[error.claim] ?? 'A claim of the token is invalid.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm of the token is not accepted.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is signed with an unknown key.';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token does not say which key it is signed with.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.';
  return 'The credential is not a token that can be verified.';
}

const CLAIMS: Readonly<Record<string, string>> = {
  iss: 'The token is from another issuer.',
  aud: 'The token is for another audience.',
  nbf: 'The token is not valid yet.',
  exp: 'The token does not say when it expires.',
  sub: 'The token names no subject.',
};
