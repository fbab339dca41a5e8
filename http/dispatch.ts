// From a request to a reply: match -> identify -> permit -> parse -> run. Every stage may only throw AppError; one catch at the end.
// Pure: no socket. Synchronous unless something has to be awaited; a warm page awaits nothing.
import { isIP } from 'node:net';
import type { Caller } from '../core/access/sessions.js';
import { AppError } from '../core/model/errors.js';
import { NOBODY, type Viewer } from '../core/model/viewer.js';
import type { App } from '../core/start.js';
import { type Dispatch, plainAddress, type Reply, type Request } from './adapter.js';
import { errorReply, isServerFault } from './errors.js';
import { identify } from './identity.js';
import { permit } from './permit.js';
import type { HttpSettings, Route } from './route.js';
import { buildRouter, type CompiledRoute, type Match, type Router } from './router.js';
import { coerce } from './schemas.js';
import { rateHeaders, refuseForeignSite, refuseTooMany } from './sign-in-gate.js';
import { parseJson } from './validate.js';

export interface Done {
  /** Id of the matched row; '-' if none matched. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly clientAddress: string;
}

export interface DispatchOptions {
  readonly app: App;
  readonly routes: readonly Route[];
  readonly settings: HttpSettings;
  /** True for the address of a proxy whose X-Forwarded-For is trusted. */
  readonly isTrustedProxy: (address: string) => boolean;
  /** Called with a peer that forwards a login but is not trusted. */
  readonly onUntrustedProxy: (address: string) => void;
  /** The address under which clients reach the server, if it is configured. */
  readonly baseUrl: string | null;
  /** Null when no one listens: then the clock is not read either. */
  readonly onDone: ((done: Done) => void) | null;
  /** Called with the cause of each 5xx answer, unless the client has left. */
  readonly onFault: (thrown: unknown, route: string) => void;
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise;

/** An address from a list of proxies, which may include a port; undefined when it is not an address. */
const forwardedAddress = (entry: string): string | undefined => {
  const bare = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(entry);
  const address = plainAddress(bare?.[1] ?? bare?.[2] ?? entry);
  return isIP(address) === 0 ? undefined : address;
};

/** The last address in X-Forwarded-For that no trusted proxy added: addresses the client wrote there itself do not count. */
export const clientAddressOf = (request: Request, isTrusted: (address: string) => boolean): string => {
  let address = request.remoteAddress;
  if (!isTrusted(address)) return address;
  const forwarded = request
    .header('x-forwarded-for')
    .split(',')
    .map((one) => one.trim());
  while (isTrusted(address)) {
    const next = forwardedAddress(forwarded.pop() ?? '');
    if (next === undefined) break;
    address = next;
  }
  return address;
};

const EMPTY = {};

/** The input of a row, checked by its schemas. */
export const inputOf = (
  { route, checkParams, checkQuery, checkBody }: CompiledRoute,
  match: Match,
  request: Request,
) => ({
  params: checkParams(match.params.length === 0 ? EMPTY : coerce(route.params, match.params)),
  query: checkQuery(request.query === '' ? EMPTY : coerce(route.query, new URLSearchParams(request.query))),
  body: checkBody === null ? null : checkBody(parseJson(request.body, request.header('content-type'))),
});

/** A thrown value as a reply, with the headers that some kinds add. */
export const failure = (thrown: unknown): Reply => {
  if (!(thrown instanceof AppError)) return errorReply(thrown);
  if (thrown.kind === 'MethodNotAllowed') {
    const allow = (thrown.details as { readonly allow: readonly string[] }).allow;
    return errorReply(new AppError(thrown.kind, thrown.message), [['Allow', allow.join(', ')]]);
  }
  if (thrown.kind === 'RangeNotSatisfiable') {
    const { size } = thrown.details as { readonly size: number };
    return errorReply(new AppError(thrown.kind, thrown.message), [['Content-Range', `bytes */${size}`]]);
  }
  return errorReply(thrown);
};

/** Work that was cancelled because no one waits for it any more. */
const isLeft = (thrown: unknown, request: Request): boolean =>
  thrown instanceof AppError && thrown.kind === 'Cancelled' && request.signal.aborted;

export const createDispatch = (options: DispatchOptions, find: Router = buildRouter(options.routes)): Dispatch => {
  const { app, settings, onDone, onFault } = options;

  const answer = (match: Match, caller: Caller | null, viewer: Viewer, request: Request): Reply | Promise<Reply> => {
    const { compiled } = match;
    if (caller !== null) permit(compiled.needs, caller.permissions);
    const input = inputOf(compiled, match, request);
    const clientAddress = (): string => clientAddressOf(request, options.isTrustedProxy);
    return compiled.route.run({ app, caller, viewer, request, clientAddress, settings }, input);
  };

  const handle = (match: Match, request: Request): Reply | Promise<Reply> => {
    const { route } = match.compiled;
    if (route.access === 'public') return answer(match, null, NOBODY, request);
    const answerTo = (caller: Caller): Reply | Promise<Reply> => {
      const viewer = app.viewers.of(caller);
      return isPromise(viewer)
        ? viewer.then((known) => answer(match, caller, known, request))
        : answer(match, caller, viewer, request);
    };
    const caller = identify(app, request, route.cookie);
    return isPromise(caller) ? caller.then(answerTo) : answerTo(caller);
  };

  /** The rate-limit headers, also on an answer that is refused later. */
  const atSignIn = (
    { route }: CompiledRoute,
    request: Request,
    addHeaders: (headers: Reply['headers']) => void,
  ): void => {
    const isTrustedPeer = options.isTrustedProxy(request.remoteAddress);
    refuseForeignSite(request, isTrustedPeer, options.baseUrl);
    if (route.access !== 'public') return;
    if (!isTrustedPeer && request.header('x-forwarded-for') !== '') options.onUntrustedProxy(request.remoteAddress);
    const allowance = app.guestRate.take(clientAddressOf(request, options.isTrustedProxy));
    addHeaders(rateHeaders(allowance));
    refuseTooMany(allowance);
  };

  return (request) => {
    const started = onDone === null ? 0 : performance.now();
    let route = '-';
    let extra: Reply['headers'] | null = null;
    const finish = (bare: Reply): Reply => {
      const reply = extra === null ? bare : { ...bare, headers: [...bare.headers, ...extra] };
      onDone?.({
        route,
        method: request.method,
        status: reply.status,
        ms: performance.now() - started,
        clientAddress: clientAddressOf(request, options.isTrustedProxy),
      });
      return reply;
    };
    const fail = (thrown: unknown): Reply => {
      if (isServerFault(thrown) && !isLeft(thrown, request)) onFault(thrown, route);
      return finish(failure(thrown));
    };
    try {
      const match = find(request.method, request.path);
      route = match.compiled.route.id;
      if (match.compiled.isSignIn)
        atSignIn(match.compiled, request, (headers) => {
          extra = headers;
        });
      const reply = handle(match, request);
      return isPromise(reply) ? reply.then(finish, fail) : finish(reply);
    } catch (thrown) {
      return fail(thrown);
    }
  };
};
