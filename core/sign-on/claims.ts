// Reads a person's claims as sent by a provider. Pure; the type of every value is checked before use.
import { isEmail } from '../access/user-fields.js';
import { cleanName, INVISIBLE } from '../model/clean-name.js';
import type { Role } from '../model/permissions.js';
import type { ProviderOptions } from './options.js';

export type Claims = Readonly<Record<string, unknown>>;

export interface Person {
  /** Suggested name for a new account; '' if none is usable. */
  readonly username: string;
  /** Null if there is no valid one. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly groups: readonly string[];
}

const GROUPS_MAX = 1000;
const GROUP_CHARS_MAX = 1000;
const SUBJECT_MAX = 255;
const NAME_MAX = 60;

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The claim with this name; otherwise the value at a dotted path such as `realm_access.roles`. */
const claimOf = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const word of name.split('.')) at = isObject(at) && Object.hasOwn(at, word) ? at[word] : undefined;
  return at;
};

/** From the first source that has it. */
const firstOf = (all: readonly Claims[], name: string): unknown =>
  all.map((claims) => claimOf(claims, name)).find((value) => value !== undefined && value !== null);

const emailOf = (all: readonly Claims[], { emailClaim }: ProviderOptions): Pick<Person, 'email' | 'emailVerified'> => {
  const found = firstOf(all, emailClaim);
  if (typeof found !== 'string' || !isEmail(found)) return { email: null, emailVerified: false };
  // `email_verified` refers to the `email` beside it, in the same source.
  const isVouched = all.some((claims) => claims.email === found && claims.email_verified === true);
  return { email: found, emailVerified: emailClaim === 'email' && isVouched };
};

/** Without what would make it look like an e-mail address, and without invisible characters. */
const usernameOf = (all: readonly Claims[], { usernameClaim }: ProviderOptions, email: string | null): string => {
  const found = [firstOf(all, usernameClaim), firstOf(all, 'name'), email].find((one) => typeof one === 'string') ?? '';
  const local = String(found).toWellFormed().normalize('NFKC').split('@')[0] ?? '';
  const visible = local.replaceAll(/\s+/g, ' ').replaceAll(new RegExp(INVISIBLE, 'gu'), '');
  return cleanName(cleanName(visible).slice(0, NAME_MAX));
};

/** No claim means no groups. Throws if it is not a list of names: a login with the wrong groups would show too much or too little. */
const groupsOf = (all: readonly Claims[], { groupsClaim }: ProviderOptions): readonly string[] => {
  const found = firstOf(all, groupsClaim);
  // "Distributed claims" (OpenID Connect Core 5.6.2): there are groups, but elsewhere.
  const isElsewhere = all.some(({ _claim_names: names }) => isObject(names) && Object.hasOwn(names, groupsClaim));
  if (found === undefined && isElsewhere) throw new Error(`the claim ${groupsClaim} is not in the token`);
  const list: readonly unknown[] = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const names = list.filter((one): one is string => typeof one === 'string' && one.length <= GROUP_CHARS_MAX);
  if (names.length < list.length || names.length > GROUPS_MAX)
    throw new Error(`the claim ${groupsClaim} is not a list of at most ${GROUPS_MAX} names`);
  return [...new Set(names)];
};

/** Throws if the groups cannot be read. */
export const personOf = (all: readonly Claims[], options: ProviderOptions): Person => {
  const email = emailOf(all, options);
  return { ...email, username: usernameOf(all, options, email.email), groups: groupsOf(all, options) };
};

export const isSubject = (text: string): boolean => text !== '' && text.length <= SUBJECT_MAX;

const HIGHEST_FIRST: readonly Role[] = ['admin', 'maintainer', 'reader'];

/** The highest role that one of the groups maps to; undefined if none is mapped. */
export const mappedRole = (groups: readonly string[], { roleMapping }: ProviderOptions): Role | undefined =>
  HIGHEST_FIRST.find((role) => roleMapping[role].some((group) => groups.includes(group)));
