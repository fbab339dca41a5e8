// Runs before a body is read: which route it is for, who sends it, and how large it may be. Callers without a login may send little.
import type { Admission, Admit, Request } from '../server/adapter.js';
import { callerOf, type DispatchOptions, type Refusing, refusalAt } from './dispatch.js';
import { isServerFault } from './errors.js';
import { permitCaller } from './permit.js';

export interface BodyLimits {
  readonly publicBytes: number;
  readonly userBytes: number;
  /** Of a row that takes a file. */
  readonly uploadBytes: number;
}

type Options = Refusing & Pick<DispatchOptions, 'onFault'>;

export const createAdmit = (options: Options, limits: BodyLimits): Admit => {
  const { router, onFault } = options;
  const small: Admission = { bodyBytes: Math.min(limits.publicBytes, limits.userBytes) };
  const guest: Admission = { ...small, isGuest: true };
  const large: Admission = { bodyBytes: limits.userBytes };
  const upload: Admission = { bodyBytes: limits.uploadBytes, isUpload: true };

  const refuse = (thrown: unknown, request: Request): Admission => {
    if (isServerFault(thrown)) onFault(thrown, 'admission');
    return { refusal: refusalAt(options, thrown, request) };
  };

  const choose = (request: Request): Admission | Promise<Admission> => {
    if (request.method === 'OPTIONS') return guest;
    const { compiled } = router.find(request.method, request.path);
    const { needs, route } = compiled;
    if (route.access === 'public') return guest;
    const known = callerOf(options, compiled, request);
    const admitted = (caller: Awaited<typeof known>): Admission => {
      permitCaller(needs, route, caller);
      if (route.upload !== null) return upload;
      if (route.raw !== null) return { bodyBytes: route.raw.maxBytes };
      return route.body === null ? small : large;
    };
    return known instanceof Promise
      ? known.then(admitted).catch((thrown: unknown) => refuse(thrown, request))
      : admitted(known);
  };

  return (request) => {
    try {
      return choose(request);
    } catch (thrown) {
      return refuse(thrown, request);
    }
  };
};
