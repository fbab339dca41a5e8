// A proxy that serves this under a path of its own may leave this path in what it forwards: here it is removed, once for all surfaces. An
// address that is answered as it stands is left alone, so proxies that remove the path themselves work as well.
import type { Admit, Dispatch, Reply, Request } from '../server/adapter.js';
import type { Router } from './router.js';

interface Served {
  readonly dispatch: Dispatch;
  readonly admit: Admit;
}

const movedTo = (location: string): Reply => ({
  status: 308,
  headers: [['Location', location]],
  body: { kind: 'none' },
});

/** The same request under another path. */
const under = (path: string, request: Request): Request => ({
  method: request.method,
  path,
  query: request.query,
  remoteAddress: request.remoteAddress,
  header: (name) => request.header(name),
  has: (name) => request.has(name),
  get body() {
    return request.body;
  },
  get signal() {
    return request.signal;
  },
});

/** `subPath` as in a URL, without a slash at its end; '' for none. */
export const pathWithout = (router: Router, subPath: string): ((path: string) => string) => {
  if (subPath === '') return (path) => path;
  return (path) =>
    path.startsWith(`${subPath}/`) && router.methodsAt(path).length === 0 ? path.slice(subPath.length) : path;
};

export const withoutSubPath = (router: Router, subPath: string, { dispatch, admit }: Served): Served => {
  if (subPath === '') return { dispatch, admit };
  const shorter = pathWithout(router, subPath);
  /** A request is admitted and dispatched as the same one. */
  const known = new WeakMap<Request, Request>();
  const within = (request: Request): Request => {
    const found = known.get(request);
    if (found !== undefined) return found;
    const path = shorter(request.path);
    if (path === request.path) return request;
    const made = under(path, request);
    known.set(request, made);
    return made;
  };
  const isBare = (request: Request): boolean =>
    request.path === subPath && /^(?:GET|HEAD)$/.test(request.method) && router.methodsAt(request.path).length === 0;
  return {
    dispatch: (request) => (isBare(request) ? movedTo(`${subPath}/`) : dispatch(within(request))),
    admit: (request) => admit(within(request)),
  };
};
