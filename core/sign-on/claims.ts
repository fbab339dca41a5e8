// What a provider says of a person, as this server understands it. Pure; nothing of it is believed to be of a type before it was checked.
import { isEmail } from '../access/user-fields.js';
import { cleanName, INVISIBLE } from '../model/clean-name.js';
import type { Role } from '../model/permissions.js';
import type { ProviderOptions } from './options.js';

export type Claims = Readonly<Record<string, unknown>>;

export interface Person {
  /** What a new account may be called; '' for nothing usable. */
  readonly username: string;
  /** Null: none that could be one. */
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

/** The claim of this name; otherwise what a path of names leads to, as in `realm_access.roles`. */
const claimOf = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const word of name.split('.')) at = isObject(at) && Object.hasOwn(at, word) ? at[word] : undefined;
  return at;
};

/** Of several sources the first that has it. */
const firstOf = (all: readonly Claims[], name: string): unknown =>
  all.map((claims) => claimOf(claims, name)).find((value) => value !== undefined && value !== null);

const emailOf = (all: readonly Claims[], { emailClaim }: ProviderOptions): Pick<Person, 'email' | 'emailVerified'> => {
  const found = firstOf(all, emailClaim);
  if (typeof found !== 'string' || !isEmail(found)) return { email: null, emailVerified: false };
  // `email_verified` speaks of `email`, and of what stands beside it.
  const isVouched = all.some((claims) => claims.email === found && claims.email_verified === true);
  return { email: found, emailVerified: emailClaim === 'email' && isVouched };
};

/** Without what would make it look like an address, or could not be seen. */
const usernameOf = (all: readonly Claims[], { usernameClaim }: ProviderOptions, email: string | null): string => {
  const found = [firstOf(all, usernameClaim), firstOf(all, 'name'), email].find((one) => typeof one === 'string') ?? '';
  const local = String(found).toWellFormed().normalize('NFKC').split('@')[0] ?? '';
  const visible = local.replaceAll(/\s+/g, ' ').replaceAll(new RegExp(INVISIBLE, 'gu'), '');
  return cleanName(cleanName(visible).slice(0, NAME_MAX));
};

/** No claim is no group. Throws for what is no list of names: a login without its groups would show too much, or too little. */
const groupsOf = (all: readonly Claims[], { groupsClaim }: ProviderOptions): readonly string[] => {
  const found = firstOf(all, groupsClaim);
  // "Distributed claims" (OpenID Connect Core 5.6.2): there are groups, but elsewhere.
  const isElsewhere = all.some(({ _claim_names: names }) => isObject(names) && Object.hasOwn(names, groupsClaim));
  if (found === undefined && isElsewhere) throw new Error(`the claim ${groupsClaim} is not in the token`);
  const list: readonly unknown[] = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const names = list.filter((one): one is string => typeof one === 'string' && one.length <= GROUP_CHARS_MAX);
  if (names.length < list.length || names.length > GROUPS_MAX)
    throw new Error(`the claim ${groupsClaim} is no list of at most ${GROUPS_MAX} names`);
  return [...new Set(names)];
};

/** Throws when something is of a form that cannot be understood. */
export const personOf = (all: readonly Claims[], options: ProviderOptions): Person => {
  const email = emailOf(all, options);
  return { ...email, username: usernameOf(all, options, email.email), groups: groupsOf(all, options) };
};

export const isSubject = (text: string): boolean => text !== '' && text.length <= SUBJECT_MAX;

const HIGHEST_FIRST: readonly Role[] = ['admin', 'maintainer', 'reader'];

/** The highest role that one of the groups stands for; undefined when none stands for any. */
export const mappedRole = (groups: readonly string[], { roleMapping }: ProviderOptions): Role | undefined =>
  HIGHEST_FIRST.find((role) => roleMapping[role].some((group) => groups.includes(group)));
