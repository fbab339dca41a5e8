// Access tokens: signed JWTs (RFC 7519, HS256) that name a session. Only importer of jose.
import { errors, jwtVerify, SignJWT } from 'jose';
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
  const { sid, exp } = payload;
  if (typeof sid !== 'string' || !isUuid(sid) || exp === undefined) throw invalid('malformed');
  return { sessionId: sid, untilMs: exp * 1000 };
};

export const sessionEnded = (): AppError => invalid('the session has ended');
