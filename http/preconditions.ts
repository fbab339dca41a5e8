// Conditional requests in the order of RFC 9110 13.2.2: what the client has seen is compared with what there is.
import { AppError } from '../core/model/errors.js';
import type { Request } from './adapter.js';
import { httpSeconds } from './http-date.js';

const listed = (header: string): readonly string[] => header.split(',').map((one) => one.trim());

/** True when one of the tags in If-None-Match is this one. Weak marks are ignored, as that header asks for (13.1.2). */
export const hasTag = (ifNoneMatch: string, tag: string): boolean => {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch.trim() === '*') return true;
  return listed(ifNoneMatch).some((one) => one.replace(/^W\//, '') === `"${tag}"`);
};

/** Throws when If-Match names other content than this: a weak tag names none (13.1.1). */
export const requireMatch = (ifMatch: string, tag: string): void => {
  if (ifMatch === '' || ifMatch.trim() === '*' || listed(ifMatch).includes(`"${tag}"`)) return;
  throw new AppError('PreconditionFailed');
};

export interface Validators {
  readonly tag: string;
  readonly modifiedMs: number;
}

/** Content that has a time of change too. True when the client has it already; throws when a condition forbids sending it. */
export const isCurrent = (request: Request, { tag, modifiedMs }: Validators): boolean => {
  const modified = Math.floor(modifiedMs / 1000);
  const seconds = (header: string): number | undefined => httpSeconds(request.header(header), Date.now());
  const ifMatch = request.header('if-match');
  requireMatch(ifMatch, tag);
  const unmodifiedSince = ifMatch === '' ? seconds('if-unmodified-since') : undefined;
  if (unmodifiedSince !== undefined && modified > unmodifiedSince) throw new AppError('PreconditionFailed');
  const ifNoneMatch = request.header('if-none-match');
  if (ifNoneMatch !== '') return hasTag(ifNoneMatch, tag);
  const modifiedSince = seconds('if-modified-since');
  return modifiedSince !== undefined && modified <= modifiedSince;
};

/** If-Range lets a range through only while the content is still the one the client has (13.1.5): a strong tag or the exact time of change. */
export const rangeHolds = (ifRange: string, { tag, modifiedMs }: Validators): boolean =>
  ifRange === '' || ifRange === `"${tag}"` || httpSeconds(ifRange, Date.now()) === Math.floor(modifiedMs / 1000);
