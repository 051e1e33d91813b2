import type { Log } from '@portico/observe';
import { LOCAL_PRINCIPAL } from '../principal.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import type { AuthConfig } from './auth-settings.js';
import type { Authenticator } from './authenticator.js';
import type { TokenTiming } from './jwt-authenticator.js';

export interface AuthenticatorParts {
  readonly log: Log;
  /** How long keys and tokens are kept; the product's own unless given. */
  readonly timing?: Partial<TokenTiming>;
}

/**
 * What tells who calls, as `AUTH_MODE` says. Waits for no issuer. Rejects with one sentence for a file of keys that is broken.
 */
export async function openAuthenticator(
  config: AuthConfig,
  { log, timing }: AuthenticatorParts,
): Promise<Authenticator> {
  switch (config.mode) {
    case 'none':
      return { authenticate: () => LOCAL_PRINCIPAL, close: () => undefined };
    case 'api-key':
      return new ApiKeyAuthenticator(config.file, log);
    case 'jwt': {
      // The cryptography is loaded where it is needed.
      const { JwtAuthenticator } = await import('./jwt-authenticator.js');
      return new JwtAuthenticator(config, log, timing);
    }
  }
}
