// What content from core needs to know about a request: which ETag the client has, and when it goes away.
import type { Request } from './adapter.js';
import { hasTag } from './preconditions.js';

export interface AskOfRequest {
  readonly has: (tag: string) => boolean;
  readonly signal: () => AbortSignal;
}

export const ask = (request: Request): AskOfRequest => {
  const ifNoneMatch = request.header('if-none-match');
  return { has: (tag) => hasTag(ifNoneMatch, tag), signal: () => request.signal };
};
