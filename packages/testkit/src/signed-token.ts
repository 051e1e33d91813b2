import { randomUUID } from 'node:crypto';
import { type CryptoKey, type JWK, SignJWT, exportJWK, generateKeyPair } from 'jose';

/** A key pair of an issuer; `jwk` is the public half, as a key set has it. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly jwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

export type TokenClaims = Readonly<Record<string, unknown>>;

export interface TokenOptions {
  /** Another key than the issuer's. */
  readonly key?: SigningKey;
  /** On top of `alg` and `kid`; one given as undefined is left out. */
  readonly header?: Readonly<Record<string, unknown>>;
}

export async function newSigningKey(alg: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, publicKey, privateKey };
}

/** A token that lasts five minutes unless `exp` is given; claims given as undefined are left out. */
export async function signToken(issuers: SigningKey, claims: TokenClaims, options: TokenOptions): Promise<string> {
  const { key = issuers, header } = options;
  const now = Math.floor(Date.now() / 1_000);
  const payload = given({ iat: now, exp: now + 300, jti: randomUUID(), ...claims });
  return new SignJWT(payload)
    .setProtectedHeader(given({ alg: key.alg, kid: key.kid, ...header }) as { alg: string })
    .sign(key.privateKey);
}

const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
