import { resolve } from 'node:path';
import { SettingError, type SettingsOf, setting } from '@portico/settings';
import { isLoopback } from '../http-guards.js';
import { CALL_SCOPE, isName, isScope } from './principal-names.js';
import { type ResourceAddress, resourceAddress } from './resource-address.js';

/** Signature algorithms whose verifying key may be public. `none` and HS* are none of them, and can not be allowed. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

/** What decides how callers prove who they are. */
export const authSettings = {
  AUTH_MODE: setting.oneOf(['none', 'api-key', 'jwt'], {
    default: 'none',
    meaning: 'who authenticates callers: none (the perimeter is trusted), api-key, jwt',
  }),
  API_KEYS_FILE: setting.path({
    shownDefault: '$PORTICO_HOME/keys.json',
    meaning: 'in api-key mode, the keys, hashed: npm run keys writes it; read again when it changes',
  }),
  JWT_ISSUER: setting.url({ meaning: 'in jwt mode, the iss of tokens, exactly as they have it' }),
  JWT_AUDIENCE: setting.text({ meaning: 'in jwt mode, what the aud of tokens must name' }),
  JWT_JWKS_URL: setting.url({ meaning: "in jwt mode, where the issuer's keys are" }),
  JWT_HEADER: setting.text({
    default: 'Authorization',
    pattern: /^[A-Za-z0-9-]{1,64}$/,
    takes: 'the name of a header',
    meaning: 'where tokens are; any other than Authorization holds the token alone, such as Cf-Access-Jwt-Assertion',
  }),
  JWT_TENANT_CLAIM: setting.text({ default: 'tenant', meaning: 'the claim that names the tenant' }),
  JWT_DEFAULT_TENANT: setting.text({ meaning: 'the tenant of tokens without that claim; they are refused otherwise' }),
  JWT_SCOPE_CLAIM: setting.text({ shownDefault: 'scope, then scp', meaning: 'the claim that has the scopes' }),
  JWT_DEFAULT_SCOPES: setting.list({
    default: [],
    meaning: `scopes of tokens without that claim; ${CALL_SCOPE} lets one list and call`,
  }),
  JWT_ALGORITHMS: setting.list({
    default: ALGORITHMS,
    shownDefault: 'every asymmetric one',
    meaning: `signature algorithms accepted, of ${ALGORITHMS.join(', ')}`,
  }),
  PUBLIC_URL: setting.url({
    meaning: 'in jwt mode, the address by which callers reach this server, without /mcp: their way to the issuer',
  }),
};

export interface ApiKeyConfig {
  readonly mode: 'api-key';
  readonly file: string;
}

export interface JwtConfig {
  readonly mode: 'jwt';
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** In lower case. */
  readonly header: string;
  readonly tenantClaim: string;
  readonly defaultTenant: string | undefined;
  /** The first that a token has counts. */
  readonly scopeClaims: readonly string[];
  readonly defaultScopes: readonly string[];
  readonly algorithms: readonly string[];
  /** Undefined: what the request's own Host says, which is loopback then. */
  readonly resource: ResourceAddress | undefined;
}

export type AuthConfig = { readonly mode: 'none' } | ApiKeyConfig | JwtConfig;

type Read = SettingsOf<typeof authSettings> & { readonly HOST: string; readonly PORTICO_HOME: string };

/** How callers prove who they are, of what was read. Throws a SettingError for the first setting that can not be used. */
export function readAuth(read: Read): AuthConfig {
  switch (read.AUTH_MODE) {
    case 'none':
      return { mode: 'none' };
    case 'api-key':
      return { mode: 'api-key', file: read.API_KEYS_FILE ?? resolve(read.PORTICO_HOME, 'keys.json') };
    case 'jwt':
      return readJwt(read);
  }
}

function readJwt(read: Read): JwtConfig {
  const audience = needed('JWT_AUDIENCE', read.JWT_AUDIENCE);
  for (const name of ['JWT_DEFAULT_TENANT', 'JWT_TENANT_CLAIM', 'JWT_SCOPE_CLAIM'] as const) {
    const value = read[name];
    if (value !== undefined && !isName(value))
      throw new SettingError(name, `${name} takes 1 to 256 characters, none of them a control character.`);
  }
  refuseOthers('JWT_DEFAULT_SCOPES', read.JWT_DEFAULT_SCOPES, isScope, `scopes such as ${CALL_SCOPE}; * is none`);
  refuseOthers('JWT_ALGORITHMS', read.JWT_ALGORITHMS, isAlgorithm, `some of ${ALGORITHMS.join(', ')}`);
  const resource = resourceAddress(read.PUBLIC_URL && secure('PUBLIC_URL', read.PUBLIC_URL), audience);
  if (resource === undefined && !isLoopback(read.HOST)) {
    throw new SettingError(
      'PUBLIC_URL',
      'PUBLIC_URL is not set, and it must be where HOST is no loopback address and JWT_AUDIENCE no URL: it takes the address by which callers reach this server.',
    );
  }
  return {
    mode: 'jwt',
    issuer: secure('JWT_ISSUER', read.JWT_ISSUER),
    audience,
    jwksUrl: secure('JWT_JWKS_URL', read.JWT_JWKS_URL),
    header: read.JWT_HEADER.toLowerCase(),
    tenantClaim: read.JWT_TENANT_CLAIM,
    defaultTenant: read.JWT_DEFAULT_TENANT,
    scopeClaims: read.JWT_SCOPE_CLAIM === undefined ? ['scope', 'scp'] : [read.JWT_SCOPE_CLAIM],
    defaultScopes: read.JWT_DEFAULT_SCOPES,
    algorithms: read.JWT_ALGORITHMS,
    resource,
  };
}

const isAlgorithm = (name: string): boolean => (ALGORITHMS as readonly string[]).includes(name);

function needed(name: string, value: string | undefined): string {
  if (value === undefined) throw new SettingError(name, `${name} is not set, and it must be where AUTH_MODE is jwt.`);
  return value;
}

/** Whoever can change what is fetched there, or what callers are sent to, decides who comes in. */
function secure(name: string, value: string | undefined): string {
  const text = needed(name, value);
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '')
    throw new SettingError(name, `${name} has a user or a password in it, and takes a URL without.`);
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new SettingError(name, `${name} is ${JSON.stringify(text)}, but it takes https beyond loopback.`);
  if (name !== 'JWT_JWKS_URL' && (search !== '' || hash !== ''))
    throw new SettingError(name, `${name} is ${JSON.stringify(text)}, but it takes a URL without ? and #.`);
  return text;
}

function refuseOthers(name: string, values: readonly string[], fits: (value: string) => boolean, takes: string): void {
  const other = values.find((value) => !fits(value));
  if (other !== undefined)
    throw new SettingError(name, `${name} has ${JSON.stringify(other.slice(0, 100))}, but it takes ${takes}.`);
  if (name === 'JWT_ALGORITHMS' && values.length === 0) throw new SettingError(name, `${name} takes ${takes}.`);
}
