// Passwords: rules, hashing and comparing. Only importer of argon2.
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../model/errors.js';

export interface HashCost {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

/** Longer passwords only cost time. */
const PASSWORD_MAX = 1024;
const SPECIAL = /[!@#$%^&*(),.?":{}|<>]/;

/** The rule for the first user; every fault is named at once. */
export const passwordFaults = (password: string): readonly string[] => [
  ...(password.length < 8 ? ['must have at least 8 characters'] : []),
  ...(password.length > PASSWORD_MAX ? [`must have at most ${PASSWORD_MAX} characters`] : []),
  ...(/[A-Z]/.test(password) ? [] : ['must contain an upper-case letter']),
  ...(/[a-z]/.test(password) ? [] : ['must contain a lower-case letter']),
  ...(/\d/.test(password) ? [] : ['must contain a digit']),
  ...(SPECIAL.test(password) ? [] : ['must contain one of !@#$%^&*(),.?":{}|<>']),
];

export const checkPassword = (password: string): void => {
  const faults = passwordFaults(password);
  if (faults.length === 0) return;
  throw new AppError(
    'BadRequest',
    `The password ${faults.join(', ')}.`,
    faults.map((message) => ({ path: 'password', message })),
  );
};

/** Argon2id in PHC form. The library's default algorithm is argon2id. */
export const hashPassword = (password: string, cost: HashCost): Promise<string> =>
  hash(password, { memoryCost: cost.memoryKib, timeCost: cost.iterations, parallelism: cost.parallelism });

export const verifyPassword = async (stored: string, password: string): Promise<boolean> =>
  password.length <= PASSWORD_MAX && (await verify(stored, password));
