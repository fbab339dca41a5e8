// From a request to a reply: match -> identify -> permit -> parse -> run. Every stage may only throw AppError; one catch at the end.
// Pure: no socket. Synchronous unless something has to be awaited; a warm page awaits nothing.
import type { Caller } from '../../core/access/caller.js';
import { AppError } from '../../core/model/errors.js';
import { NOBODY, type Viewer } from '../../core/model/viewer.js';
import type { App } from '../../core/start.js';
import type { Dispatch, Reply, Request } from '../server/adapter.js';
import { clientAddressOf, isOverTls } from './client-address.js';
import { type Cors, sharedHeaders } from './cors.js';
import { identify } from './credentials.js';
import { errorReply, isServerFault } from './errors.js';
import { isProxied } from './forwarded.js';
import type { KeptAnswers } from './kept-answers.js';
import { whileLetIn } from './live-reply.js';
import { optionsReply } from './options.js';
import { isForeign } from './origins.js';
import { permitCaller } from './permit.js';
import { type Published, publicBaseOf } from './public-address.js';
import { type Ctx, type HttpSettings, isSetUp, isSignIn } from './route.js';
import type { CompiledRoute, Match, Router } from './router.js';
import { rateHeaders, refuseForeignSite, refuseStrangeHost, refuseTooMany } from './sign-in-gate.js';
import type { RefusedAt } from './surface.js';
import type { Traffic } from './traffic.js';
import { parseJson } from './validate.js';

export interface Done {
  /** Id of the matched row; '-' if none matched. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly clientAddress: string;
}

export interface DispatchOptions extends Published {
  readonly app: App;
  readonly router: Router;
  readonly settings: HttpSettings;
  readonly cors: Cors;
  /** Null keeps none. */
  readonly kept: KeptAnswers | null;
  /** Null when nobody measures: then the clock is not read either, unless somebody listens. */
  readonly traffic: Traffic | null;
  /** Null when no one listens. */
  readonly onDone: ((done: Done) => void) | null;
  /** Called with the cause of each 5xx answer, unless the client has left. */
  readonly onFault: (thrown: unknown, route: string) => void;
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise;

/** The input of a row, checked by its schemas. */
export const inputOf = ({ queryIn, checkBody }: CompiledRoute, match: Match, request: Request) => ({
  params: match.params(),
  query: queryIn(request.query),
  body: checkBody === null ? null : checkBody(parseJson(request.body, request.header('content-type'))),
});

const withHeaders = (reply: Reply, added: Reply['headers']): Reply =>
  added.length === 0 ? reply : { ...reply, headers: [...reply.headers, ...added] };

/** What is needed to answer a request that is not dispatched. */
export type Refusing = Pick<DispatchOptions, 'app' | 'router' | 'cors'> & Published;

/** A request, or as much of it as was read. */
type Refused = Pick<Request, 'path'> & Partial<Request>;

const isWhole = (request: Refused): request is Request => request.header !== undefined;

/** Browsers ask for a page; scripts on a page and apps do not. */
const isOpenedInBrowser = (request: Request): boolean =>
  request.method === 'GET' && /\btext\/html\b/.test(request.header('accept'));

const placeOf = (options: Refusing, request: Refused): RefusedAt => ({
  path: request.path,
  base: () => (isWhole(request) ? publicBaseOf(request, options) : ''),
  now: () => options.app.clock.now(),
  isOpened: () => isWhole(request) && isOpenedInBrowser(request),
});

/** A refusal made before or beside dispatch, in the shape of the surface that has the path and with its headers. */
export const refusalAt = (options: Refusing, thrown: unknown, request: Refused): Reply => {
  const surface = options.router.surfaceOf(request.path);
  const isAtSignIn = isSignIn({ path: request.path.slice(surface.prefix.length) });
  const origin = isWhole(request) ? request.header('origin') : '';
  const reply = errorReply(thrown, surface, placeOf(options, request));
  return withHeaders(reply, sharedHeaders(surface, options.cors, origin, isAtSignIn));
};

/** Work that was cancelled because no one waits for it any more. */
const isLeft = (thrown: unknown, request: Request): boolean =>
  thrown instanceof AppError && thrown.kind === 'Cancelled' && request.signal.aborted;

/** The caller of a row that needs one. */
export const callerOf = (
  { app, isTrustedProxy, baseUrl }: Pick<DispatchOptions, 'app' | 'isTrustedProxy' | 'baseUrl'>,
  { surface, route }: CompiledRoute,
  request: Request,
): Caller | Promise<Caller> =>
  identify(route.signIn === null ? surface.credentials.ways : [...surface.credentials.ways, route.signIn], {
    app,
    request,
    clientAddress: () => clientAddressOf(request, isTrustedProxy),
    surface: surface.name,
    isForeign: () => isForeign(request, () => isTrustedProxy(request.remoteAddress), baseUrl),
  });

/** One request on its way: what its answer carries besides, and how it ends. */
class Passage {
  readonly #options: DispatchOptions;
  readonly #request: Request;
  readonly #started: number;
  #compiled: CompiledRoute | null = null;
  #caller: Caller | null = null;
  #extra: Reply['headers'] | null = null;

  constructor(options: DispatchOptions, request: Request) {
    this.#options = options;
    this.#request = request;
    this.#started = options.onDone === null && options.traffic === null ? 0 : performance.now();
  }

  run(): Reply | Promise<Reply> {
    const { router } = this.#options;
    const { method, path } = this.#request;
    try {
      if (method === 'OPTIONS') return this.#finish(this.#optionsReply());
      const match = router.find(method, path);
      this.#compiled = match.compiled;
      if (match.compiled.isSignIn) this.#atSignIn(match.compiled);
      const reply = this.#handle(match);
      return isPromise(reply)
        ? reply.then(
            (found) => this.#finish(found),
            (thrown: unknown) => this.#fail(thrown),
          )
        : this.#finish(reply);
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #optionsReply(): Reply {
    const { router, cors } = this.#options;
    const request = this.#request;
    const methods = router.methodsAt(request.path);
    const { compiled } = router.find(methods[0] ?? 'GET', request.path);
    this.#compiled = compiled;
    if (compiled.isSignIn) this.#refuseForeignSite();
    return optionsReply(request, methods, compiled.surface.cors && cors.origins.length > 0);
  }

  #refuseForeignSite(): void {
    const { baseUrl, cors, isTrustedProxy } = this.#options;
    refuseForeignSite(this.#request, () => isTrustedProxy(this.#request.remoteAddress), baseUrl, cors);
  }

  #handle(match: Match): Reply | Promise<Reply> {
    if (match.compiled.route.access === 'public') return this.#answer(match, null, NOBODY);
    const { viewers } = this.#options.app;
    const answerTo = (caller: Caller): Reply | Promise<Reply> => {
      this.#caller = caller;
      const viewer = viewers.of(caller);
      return isPromise(viewer)
        ? viewer.then((known) => this.#answer(match, caller, known))
        : this.#answer(match, caller, viewer);
    };
    const caller = callerOf(this.#options, match.compiled, this.#request);
    return isPromise(caller) ? caller.then(answerTo) : answerTo(caller);
  }

  #answer(match: Match, caller: Caller | null, viewer: Viewer): Reply | Promise<Reply> {
    const { compiled } = match;
    if (caller !== null) permitCaller(compiled.needs, compiled.route, caller);
    const { onPassword } = compiled.surface.credentials;
    if (onPassword === undefined || caller?.via.kind !== 'password') return this.#answerOrKept(match, caller, viewer);
    // First, since an answer may hold an open file, and this may fail.
    const added = onPassword(this.#context(match, caller, viewer));
    const answered = (headers: Reply['headers']): Reply | Promise<Reply> => {
      const reply = this.#answerOrKept(match, caller, viewer);
      return reply instanceof Promise ? reply.then((one) => withHeaders(one, headers)) : withHeaders(reply, headers);
    };
    return added instanceof Promise ? added.then(answered) : answered(added);
  }

  #answerOrKept(match: Match, caller: Caller | null, viewer: Viewer): Reply | Promise<Reply> {
    const { compiled } = match;
    const { kept } = this.#options;
    if (!compiled.route.kept || kept === null) return this.#make(match, caller, viewer);
    const base = compiled.surface.isAbsolute === true ? publicBaseOf(this.#request, this.#options) : '';
    return kept.answer({ request: this.#request, viewer, base }, () => this.#make(match, caller, viewer));
  }

  #place(): Pick<Ctx<unknown>, 'settings' | 'isOverTls' | 'base'> {
    const { settings, isTrustedProxy } = this.#options;
    return {
      settings,
      isOverTls: () => isOverTls(this.#request, isTrustedProxy),
      base: () => publicBaseOf(this.#request, this.#options),
    };
  }

  #context<C>({ compiled }: Match, caller: C, viewer: Viewer): Ctx<C> {
    const { app, isTrustedProxy } = this.#options;
    const request = this.#request;
    const clientAddress = (): string => clientAddressOf(request, isTrustedProxy);
    return { app, caller, viewer, request, clientAddress, prefix: compiled.surface.prefix, ...this.#place() };
  }

  #make(match: Match, caller: Caller | null, viewer: Viewer): Reply | Promise<Reply> {
    const input = inputOf(match.compiled, match, this.#request);
    return match.compiled.route.run(this.#context(match, caller, viewer), input);
  }

  /** The rate-limit headers go also on an answer that is refused later. */
  #atSignIn({ route }: CompiledRoute): void {
    const { app, baseUrl, isTrustedProxy, onUntrustedProxy } = this.#options;
    const request = this.#request;
    this.#refuseForeignSite();
    if (isSetUp(route)) refuseStrangeHost(request, () => isTrustedProxy(request.remoteAddress), baseUrl);
    if (route.access !== 'public') return;
    if (!isTrustedProxy(request.remoteAddress) && isProxied(request)) onUntrustedProxy(request.remoteAddress);
    const allowance = app.guestRate.take(clientAddressOf(request, isTrustedProxy));
    this.#extra = rateHeaders(allowance);
    refuseTooMany(allowance);
  }

  #finish(bare: Reply): Reply {
    const { cors, isTrustedProxy, onDone, router, traffic } = this.#options;
    const request = this.#request;
    const surface = this.#compiled?.surface ?? router.surfaceOf(request.path);
    const shared = sharedHeaders(surface, cors, request.header('origin'), this.#compiled?.isSignIn ?? false);
    const added = this.#extra === null ? shared : [...shared, ...this.#extra];
    const reply = withHeaders(this.#lasting(bare), added);
    traffic?.answered(this.#compiled, request.method, reply.status, performance.now() - this.#started);
    onDone?.({
      route: this.#compiled?.route.id ?? '-',
      method: request.method,
      status: reply.status,
      ms: performance.now() - this.#started,
      clientAddress: clientAddressOf(request, isTrustedProxy),
    });
    return reply;
  }

  #lasting(reply: Reply): Reply {
    const [caller, compiled] = [this.#caller, this.#compiled];
    if (reply.body.kind !== 'stream' || caller === null || compiled === null) return reply;
    const permit = (now: Caller): void => permitCaller(compiled.needs, compiled.route, now);
    return whileLetIn(reply, this.#options.app.liveCallers, caller, permit);
  }

  #fail(thrown: unknown): Reply {
    const { onFault, router } = this.#options;
    const request = this.#request;
    if (isServerFault(thrown) && !isLeft(thrown, request)) onFault(thrown, this.#compiled?.route.id ?? '-');
    const surface = this.#compiled?.surface ?? router.surfaceOf(request.path);
    const reply = errorReply(thrown, surface, placeOf(this.#options, request));
    const added = reply.status === 401 ? this.#compiled?.route.onUnauthorized?.(this.#place()) : undefined;
    return this.#finish(withHeaders(reply, added ?? []));
  }
}

export const createDispatch =
  (options: DispatchOptions): Dispatch =>
  (request) =>
    new Passage(options, request).run();
