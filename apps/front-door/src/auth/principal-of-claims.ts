import type { Principal } from '@portico/contracts';
import type { JWTPayload } from 'jose';
import type { JwtConfig } from './auth-settings.js';
import { isName, isScope } from './principal-names.js';

/** Who a verified token speaks for, or the part of it that names nobody. */
export function principalOfClaims(
  claims: JWTPayload,
  { tenantClaim, defaultTenant, scopeClaims, defaultScopes }: JwtConfig,
): Principal | 'subject' | 'tenant' {
  const { sub: subject } = claims;
  if (!isName(subject)) return 'subject';
  // A claim that is there and names nothing is not the same as none: the default is not for it.
  const tenant = Object.hasOwn(claims, tenantClaim) ? claims[tenantClaim] : defaultTenant;
  if (!isName(tenant)) return 'tenant';
  const claim = scopeClaims.find((name) => Object.hasOwn(claims, name));
  const scopes = claim === undefined ? [...defaultScopes] : scopesIn(claims[claim]);
  return Object.freeze({ tenant, subject, scopes: Object.freeze(scopes) as string[] });
}

const scopesIn = (value: unknown): string[] => {
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : [];
  return [...new Set(words.filter(isScope))];
};
