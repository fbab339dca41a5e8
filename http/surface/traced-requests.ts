// Requests as the beginnings of traces: method and route, never the path or the query that was sent. Used only where tracing is configured.
import { monotonicMs } from '../../core/model/monotonic.js';
import type { Root, Tracer } from '../../core/tracing/tracer.js';
import type { Admission, Admit, Dispatch, Reply, Request } from '../server/adapter.js';
import type { Router } from './router.js';

/** When the body of a request was asked about, and when it was let in. */
interface Admitted {
  readonly fromMs: number;
  readonly toMs: number;
}

const bytesIn = ({ body }: Reply): number | undefined => {
  if (body.kind === 'file') return body.length;
  return body.kind === 'bytes' ? Buffer.byteLength(body.bytes) : undefined;
};

const templateOf = (router: Router, { method, path }: Request): string | undefined => {
  try {
    const { surface, route } = router.find(method, path).compiled;
    return `${surface.prefix}${route.path}`;
  } catch {
    return undefined; // no such route: dispatch says so to the client
  }
};

const end = (root: Root, reply: Reply): Reply => {
  const bytes = bytesIn(reply);
  root.set({
    'http.response.status_code': reply.status,
    ...(bytes === undefined ? {} : { 'http.response.body.size': bytes }),
  });
  root.end(reply.status >= 500 ? String(reply.status) : undefined);
  return reply;
};

/** Methods that HTTP knows; a client may send anything. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Served {
  readonly admit: Admit;
  readonly dispatch: Dispatch;
}

/** The same, with a trace of each request; exactly the same where nothing is traced. */
export const traced = (
  tracer: Tracer,
  router: Router,
  isTrustedProxy: (address: string) => boolean,
  { admit, dispatch }: Served,
): Served => {
  if (!tracer.isOn) return { admit, dispatch };
  const requests = new TracedRequests(tracer, router, isTrustedProxy);
  return { admit: requests.admit(admit), dispatch: requests.dispatch(dispatch) };
};

class TracedRequests {
  readonly #tracer: Tracer;
  readonly #router: Router;
  readonly #isTrustedProxy: (address: string) => boolean;
  readonly #admitted = new WeakMap<Request, Admitted>();

  constructor(tracer: Tracer, router: Router, isTrustedProxy: (address: string) => boolean) {
    this.#tracer = tracer;
    this.#router = router;
    this.#isTrustedProxy = isTrustedProxy;
  }

  admit(admit: Admit): Admit {
    return (request) => {
      const fromMs = monotonicMs();
      const note = (admission: Admission): Admission => {
        this.#admitted.set(request, { fromMs, toMs: monotonicMs() });
        return admission;
      };
      const admission = admit(request);
      return admission instanceof Promise ? admission.then(note) : note(admission);
    };
  }

  dispatch(dispatch: Dispatch): Dispatch {
    return (request) => {
      const root = this.#begin(request);
      if (root === null) return dispatch(request);
      return root.run(() => {
        const reply = dispatch(request);
        return reply instanceof Promise ? reply.then((made) => end(root, made)) : end(root, reply);
      });
    };
  }

  #begin(request: Request): Root | null {
    const template = templateOf(this.#router, request);
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const admitted = this.#admitted.get(request);
    const root = this.#tracer.root(template === undefined ? method : `${method} ${template}`, {
      kind: 'request',
      traceparent: request.header('traceparent'),
      isTrusted: this.#isTrustedProxy(request.remoteAddress),
      ...(admitted === undefined ? {} : { sinceMs: admitted.fromMs }),
    });
    root?.set({ 'http.request.method': method, ...(template === undefined ? {} : { 'http.route': template }) });
    if (admitted !== undefined) {
      root?.part('admission', admitted.fromMs, admitted.toMs);
      root?.part('request body', admitted.toMs, monotonicMs());
    }
    return root;
  }
}
