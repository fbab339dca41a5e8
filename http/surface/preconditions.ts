// Conditional requests in the order of RFC 9110 13.2.2: compares the client's version with the current one.
import { AppError } from '../../core/model/errors.js';
import type { Request } from '../server/adapter.js';
import { httpSeconds } from '../server/http-date.js';

const listed = (header: string): readonly string[] => header.split(',').map((one) => one.trim());

/** True when one of the tags in If-None-Match is this one. Weakness is ignored, as that header requires (13.1.2). */
export const hasTag = (ifNoneMatch: string, tag: string): boolean => {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch.trim() === '*') return true;
  return listed(ifNoneMatch).some((one) => one.replace(/^W\//, '') === `"${tag}"`);
};

/** Throws when If-Match names other content than this; null is content with a weak tag, which never matches (13.1.1). */
export const requireMatch = (ifMatch: string, tag: string | null): void => {
  if (ifMatch === '' || ifMatch.trim() === '*') return;
  if (tag !== null && listed(ifMatch).includes(`"${tag}"`)) return;
  throw new AppError('PreconditionFailed');
};

/** Whether a client that sends no tag already has the content of that time. */
export const isUnchangedSince = (request: Request, modifiedMs: number): boolean => {
  const header = request.header('if-modified-since');
  if (header === '' || request.header('if-none-match') !== '') return false;
  const since = httpSeconds(header, Date.now());
  return since !== undefined && Math.floor(modifiedMs / 1000) <= since;
};

export interface Validators {
  readonly tag: string;
  readonly modifiedMs: number;
}

/** Content that also has a modification time. True when the client already has it; throws when a condition forbids sending it. */
export const isCurrent = (request: Request, { tag, modifiedMs }: Validators): boolean => {
  const modified = Math.floor(modifiedMs / 1000);
  const seconds = (header: string): number | undefined => httpSeconds(request.header(header), Date.now());
  const ifMatch = request.header('if-match');
  requireMatch(ifMatch, tag);
  const unmodifiedSince = ifMatch === '' ? seconds('if-unmodified-since') : undefined;
  if (unmodifiedSince !== undefined && modified > unmodifiedSince) throw new AppError('PreconditionFailed');
  const ifNoneMatch = request.header('if-none-match');
  return ifNoneMatch === '' ? isUnchangedSince(request, modifiedMs) : hasTag(ifNoneMatch, tag);
};

/** If-Range allows a range only while the content is still the client's version (13.1.5): a strong tag or the exact modification time. */
export const rangeHolds = (ifRange: string, { tag, modifiedMs }: Validators): boolean =>
  ifRange === '' || ifRange === `"${tag}"` || httpSeconds(ifRange, Date.now()) === Math.floor(modifiedMs / 1000);
