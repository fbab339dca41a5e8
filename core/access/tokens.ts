// Access tokens: signed JWTs (RFC 7519). Ours (HS256) name a session; those of sign-on providers (RS256, ES256) name a person there. Only
// importer of jose.
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { AppError } from '../model/errors.js';
import { isUuid } from '../model/ids.js';
import type { User } from './users.js';

export interface Token {
  readonly text: string;
  readonly expiresInS: number;
}

export interface TokenOptions {
  readonly secret: Uint8Array;
  readonly lifetimeMs: number;
}

/** Ours have about 300 characters; longer ones are not worth a signature check. */
const TOKEN_MAX = 4096;

const invalid = (reason: string): AppError => new AppError('Unauthorized', `Invalid JWT token: ${reason}`);

const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof errors.JWTExpired) return 'expired';
  if (thrown instanceof errors.JWSSignatureVerificationFailed) return 'bad signature';
  return 'malformed';
};

export const signToken = async (
  { secret, lifetimeMs }: TokenOptions,
  user: Pick<User, 'id' | 'username' | 'role'>,
  sessionId: string,
  nowMs: number,
): Promise<Token> => {
  const text = await new SignJWT({ username: user.username, role: user.role, sid: sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(user.id)
    .setIssuedAt(Math.floor(nowMs / 1000))
    .setExpirationTime(Math.floor((nowMs + lifetimeMs) / 1000))
    .sign(secret);
  return { text, expiresInS: Math.floor(lifetimeMs / 1000) };
};

export interface Claims {
  readonly sessionId: string;
  /** The user it was issued to; used only to say why a session is gone. */
  readonly userId: string;
  readonly untilMs: number;
}

/** What a token of ours says. Nothing else in it is believed: rights are those of the account now. */
export const claimsOf = async ({ secret }: TokenOptions, text: string, nowMs: number): Promise<Claims> => {
  if (text.length > TOKEN_MAX) throw invalid('malformed');
  const { payload } = await jwtVerify(text, secret, {
    algorithms: ['HS256'],
    currentDate: new Date(nowMs),
  }).catch((thrown: unknown) => {
    throw invalid(reasonOf(thrown));
  });
  const { sid, sub, exp } = payload;
  if (typeof sid !== 'string' || !isUuid(sid) || sub === undefined || !isUuid(sub) || exp === undefined)
    throw invalid('malformed');
  return { sessionId: sid, userId: sub, untilMs: exp * 1000 };
};

/** No other algorithm is accepted from a provider, whatever a token or a key says. */
const PROVIDER_ALGORITHMS: readonly unknown[] = ['RS256', 'ES256'];
/** Theirs may list groups. */
const PROVIDER_TOKEN_MAX = 16_384;
/** Access tokens (RFC 9068), and tokens without a type. */
const PROVIDER_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** Claims of ID tokens and logout tokens (OpenID Connect Core 2, Back-Channel Logout 2.4): those sign nobody in here. */
const OTHERS = ['nonce', 'at_hash', 'c_hash', 'events'] as const;

const isAccessType = (typ: string | undefined): boolean => typ?.toLowerCase().endsWith('at+jwt') === true;

/** How far the clocks of a provider and of this server may differ. */
const CLOCKS_APART_S = 30;

/** The issuer that a token claims to have, if only a provider can have signed it; not verified yet. Undefined for other texts. */
export const issuerClaimed = (text: string): string | undefined => {
  if (text.length > PROVIDER_TOKEN_MAX || text.split('.').length !== 3) return undefined;
  try {
    const { alg, typ } = decodeProtectedHeader(text);
    const { iss } = decodeJwt(text);
    return PROVIDER_ALGORITHMS.includes(alg) && PROVIDER_TYPES.includes(typ?.toLowerCase()) ? (iss ?? '') : undefined;
  } catch {
    return undefined; // not a JWT
  }
};

/** The public keys of a provider: a JSON Web Key Set (RFC 7517). */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Throws if it is not a key set. */
export const keySetOf = (value: unknown): KeySet => createLocalJWKSet(value as JSONWebKeySet);

export interface ProviderTokenRules {
  readonly keys: KeySet;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly nowMs: number;
}

export interface ProviderClaims {
  readonly subject: string;
  readonly untilMs: number;
}

export const unknownIssuer = (): AppError => invalid('unknown issuer');

/** Undefined when none of the keys can have signed it: the provider may have newer ones. */
export const providerClaimsOf = async (
  text: string,
  { keys, issuer, audiences, nowMs }: ProviderTokenRules,
): Promise<ProviderClaims | undefined> => {
  try {
    const { payload, protectedHeader } = await jwtVerify(text, keys, {
      algorithms: PROVIDER_ALGORITHMS.map(String),
      issuer,
      audience: [...audiences],
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCKS_APART_S,
      currentDate: new Date(nowMs),
    });
    const { sub: subject, exp } = payload;
    if (typeof subject !== 'string' || subject === '' || exp === undefined) throw invalid('malformed');
    if (!isAccessType(protectedHeader.typ) && OTHERS.some((claim) => payload[claim] !== undefined))
      throw invalid('not an access token');
    return { subject, untilMs: (exp + CLOCKS_APART_S) * 1000 };
  } catch (thrown) {
    if (thrown instanceof errors.JWKSNoMatchingKey) return undefined;
    if (thrown instanceof AppError) throw thrown;
    const isClaim = thrown instanceof errors.JWTClaimValidationFailed;
    throw invalid(isClaim ? `wrong or missing ${thrown.claim}` : reasonOf(thrown));
  }
};

export const unknownKey = (): AppError => invalid('unknown key');

export const tokenExpired = (): AppError => invalid('expired');

export const sessionEnded = (): AppError => invalid('the session has ended');
