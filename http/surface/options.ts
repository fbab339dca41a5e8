// OPTIONS (RFC 9110 9.3.7): which methods an address answers, and what a browser asks before it sends a request for another site.
import type { Reply, Request } from '../server/adapter.js';
import { isPreflight, preflightHeaders } from './cors.js';

export const optionsReply = (request: Request, methods: readonly string[], isOpenToOthers: boolean): Reply => ({
  status: 204,
  headers: [
    ['Allow', methods.join(', ')],
    ...(isOpenToOthers && isPreflight(request) ? preflightHeaders(methods) : []),
  ],
  body: { kind: 'none' },
});
