// The passwords that administrators gave for archives, as this thread knows them; the one that opened an archive last comes first.
import { workerData } from 'node:worker_threads';
import { sharedPasswords } from '../core/model/archive-passwords.js';

const given: unknown = workerData;
const shared =
  typeof given === 'object' && given !== null && 'passwords' in given && given.passwords instanceof SharedArrayBuffer
    ? given.passwords
    : null;

let last: string | null = null;

export const archivePasswords = (): readonly string[] => {
  const all = shared === null ? [] : sharedPasswords(shared);
  const first = last;
  return first !== null && all.includes(first) ? [first, ...all.filter((one) => one !== first)] : all;
};

export const noteOpened = (password: string): void => {
  last = password;
};
