// Passwords: rules, hashing and comparing. Only importer of argon2.
import { hash, verify } from '@node-rs/argon2';
import type { Clock } from '../engine/clock.js';
import { Semaphore } from '../engine/semaphore.js';
import { AppError } from '../model/errors.js';
import { isCommonPassword } from './guessed-passwords.js';

export interface HashCost {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

/** Longer passwords would only cost time. */
const PASSWORD_MAX = 1024;
/** Stored instead of a hash: no password matches it. */
export const NO_PASSWORD = 'none';
const PASSWORD_MIN = 8;

/** A symbol is any printable character that is neither a letter nor a digit, including the space. */
const CHARACTER_CLASSES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['an upper-case letter', /\p{Lu}/u],
  ['a lower-case letter', /\p{Ll}/u],
  ['a digit', /\p{Nd}/u],
  ['a symbol, such as ! or -', /[\p{P}\p{S}\p{Zs}]/u],
];

const LIST = new Intl.ListFormat('en-GB');

/** What every password must be, whoever chooses it for whom, and this one is not. */
export const passwordFaults = (password: string): readonly string[] => [
  ...(password.length < PASSWORD_MIN ? [`must have at least ${PASSWORD_MIN} characters`] : []),
  ...(password.length > PASSWORD_MAX ? [`must have at most ${PASSWORD_MAX} characters`] : []),
  ...(isCommonPassword(password) ? ['must not be one of the most common ones'] : []),
];

const refuse = (faults: readonly string[], path: string): void => {
  if (faults.length === 0) return;
  const details = faults.map((message) => ({ path, message }));
  throw new AppError('BadRequest', `The password ${faults.join(' and ')}.`, details);
};

/** `path` names the field in the error, which lists all broken rules. */
export const checkPassword = (password: string, path = 'password'): void => refuse(passwordFaults(password), path);

const missingClasses = (password: string): readonly string[] =>
  CHARACTER_CLASSES.flatMap(([name, pattern]) => (pattern.test(password) ? [] : [name]));

/** The same of the first account, for which the contract asks for kinds of characters too. */
export const checkFirstPassword = (password: string): void => {
  const missing = missingClasses(password);
  const classes = missing.length === 0 ? [] : [`must contain ${LIST.format(missing)}`];
  refuse([...passwordFaults(password), ...classes], 'password');
};

/** Each hash takes memory and a thread of the pool shared with files and the database; a flood of logins must not take them all. */
const AT_ONCE_MAX = 2;
const MEMORY_MAX_KIB = 256 * 1024;
const QUEUE_LENGTH = 128;
const WAIT_MAX_MS = 10_000;

const overloaded = (): AppError => new AppError('Overloaded', 'Too many logins at once; try again in a moment.');

/** Hashes and compares, a few at a time. */
export class Passwords {
  readonly #clock: Clock;
  readonly #cost: HashCost;
  readonly #slots: Semaphore;
  #decoy: Promise<string> | undefined;

  constructor(clock: Clock, cost: HashCost) {
    this.#clock = clock;
    this.#cost = cost;
    const fitting = Math.floor(MEMORY_MAX_KIB / cost.memoryKib);
    this.#slots = new Semaphore(Math.max(1, Math.min(AT_ONCE_MAX, fitting)), QUEUE_LENGTH);
  }

  /** Argon2id in PHC format. `isStillWanted` is called just before hashing; it may throw. */
  hash(password: string, isStillWanted: () => Promise<void> = async () => undefined): Promise<string> {
    return this.#inTurn(async () => {
      await isStillWanted();
      return this.#hash(password);
    });
  }

  /** Always does the same work, even for a user that does not exist (null) or an overlong password. */
  matches(stored: string | null, password: string): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#decoy ??= this.#hash('nobody has this password');
      const decoy = await this.#decoy;
      const isPossible = stored?.startsWith('$') === true && password.length <= PASSWORD_MAX;
      return (await verify(isPossible ? stored : decoy, password)) && isPossible;
    });
  }

  /** The library's default algorithm is argon2id. */
  #hash(password: string): Promise<string> {
    const { memoryKib, iterations, parallelism } = this.#cost;
    return hash(password, { memoryCost: memoryKib, timeCost: iterations, parallelism });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const latest = this.#clock.elapsed() + WAIT_MAX_MS;
    return this.#slots
      .with(1, async () => {
        if (this.#clock.elapsed() > latest) throw overloaded();
        return work();
      })
      .catch((thrown: unknown) => {
        throw thrown instanceof AppError && thrown.kind === 'Overloaded' ? overloaded() : thrown;
      });
  }
}
