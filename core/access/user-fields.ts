// Which names, e-mail addresses, passwords, roles and permissions an account may have. Pure; lists all faults at once.
import { INVISIBLE } from '../model/clean-name.js';
import { AppError } from '../model/errors.js';
import { userNameKey } from '../model/name-key.js';
import { PERMISSIONS, type Permission, permissionNamed, type Role, roleNamed } from '../model/permissions.js';
import { passwordFaults } from './passwords.js';

export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

const NAME_MAX = 100;
const EMAIL_MAX = 254;

/** Without what separates addresses in a list of them, and without quoting: mail is sent there. */
const EMAIL = /^[^\s@,;:<>()[\]\\"]{1,64}@[^\s@.,;:<>()[\]\\"]+(?:\.[^\s@.,;:<>()[\]\\"]+)+$/;

/** As it is stored and shown. */
export const cleanUserName = (name: string): string => name.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

const lengthMessage = (max: number, min = 1): string => `must have ${min} to ${max} characters`;

const nameFaults = (name: string): readonly string[] => [
  ...(cleanUserName(name) === '' || name.length > NAME_MAX ? [lengthMessage(NAME_MAX)] : []),
  ...(INVISIBLE.test(name) ? ['must not contain control characters or invisible ones'] : []),
];

export const isEmail = (text: string): boolean => text.length <= EMAIL_MAX && EMAIL.test(text) && !INVISIBLE.test(text);

const emailFaults = (email: string): readonly string[] => (isEmail(email) ? [] : ['must look like an e-mail address']);

/** A name that looks like an address would tell, by being taken, that the address is somebody's. */
const plainNameFaults = (name: string): readonly string[] => [
  ...nameFaults(name),
  ...(userNameKey(name).includes('@') ? ['must not contain @'] : []),
];

const RULES = { username: nameFaults, email: emailFaults, password: passwordFaults } as const;
const PLAIN_RULES = { ...RULES, username: plainNameFaults } as const;

export type UserFields = { readonly [field in keyof typeof RULES]?: string | undefined };

const check = (fields: UserFields, rules: Readonly<Record<keyof UserFields, (text: string) => readonly string[]>>) => {
  const names = Object.keys(rules) as (keyof UserFields)[];
  const faults = names.flatMap((path) => {
    const value = fields[path];
    return value === undefined ? [] : rules[path](value).map((message): FieldFault => ({ path, message }));
  });
  if (faults.length === 0) return;
  throw new AppError('BadRequest', faults.map(({ path, message }) => `The ${path} ${message}.`).join(' '), faults);
};

/** Checks the fields that are given. */
export const checkUserFields = (fields: UserFields): void => check(fields, RULES);

/** The same of what somebody without rights over others chooses for their own account. */
export const checkOwnNames = (fields: Pick<UserFields, 'username' | 'email'>): void => check(fields, PLAIN_RULES);

/** The same of somebody who registers; `isConfirmed`: by a link in a mail. */
export const checkRegistration = (fields: UserFields, isConfirmed: boolean): void =>
  check(fields, isConfirmed ? PLAIN_RULES : RULES);

const SHOWN_MAX = 50;

/** What a client wrote, cut to be shown in a sentence. */
const shown = (word: string): string => `"${word.toWellFormed().slice(0, SHOWN_MAX)}"`;

const refused = (sentence: string, path: string, message: string): AppError =>
  new AppError('BadRequest', sentence, [{ path, message }]);

export const checkedRole = (word: string): Role => {
  const role = roleNamed(word);
  if (role !== undefined) return role;
  throw refused(`There is no role ${shown(word)}.`, 'role', 'must be one of reader, maintainer, admin');
};

/** In the order of all permissions, each once. */
export const checkedPermissions = (words: readonly string[]): readonly Permission[] => {
  const named = new Set(
    words.map((word, at) => {
      const permission = permissionNamed(word);
      if (permission !== undefined) return permission;
      throw refused(`There is no permission ${shown(word)}.`, `permissions[${at}]`, 'must name a permission');
    }),
  );
  return PERMISSIONS.filter((permission) => named.has(permission));
};
