// Runs before a body is read: which route it is for, who sends it, and how large it may be. Callers without a login may send little.
import type { Admission, Admit, Request } from './adapter.js';
import { type DispatchOptions, failure } from './dispatch.js';
import { isServerFault } from './errors.js';
import { identify } from './identity.js';
import { permit } from './permit.js';
import type { Router } from './router.js';

export interface BodyLimits {
  readonly publicBytes: number;
  readonly userBytes: number;
}

type Options = Pick<DispatchOptions, 'app' | 'onFault'>;

export const createAdmit = ({ app, onFault }: Options, find: Router, limits: BodyLimits): Admit => {
  const small: Admission = { bodyBytes: Math.min(limits.publicBytes, limits.userBytes) };
  const guest: Admission = { ...small, isGuest: true };
  const large: Admission = { bodyBytes: limits.userBytes };

  const refuse = (thrown: unknown): Admission => {
    if (isServerFault(thrown)) onFault(thrown, 'admission');
    return { refusal: failure(thrown) };
  };

  const choose = (request: Request): Admission | Promise<Admission> => {
    const { needs, route } = find(request.method, request.path).compiled;
    if (route.access === 'public') return guest;
    const known = identify(app, request, route.cookie);
    const admitted = ({ permissions }: Awaited<typeof known>): Admission => {
      permit(needs, permissions);
      return route.body === null ? small : large;
    };
    return known instanceof Promise ? known.then(admitted).catch(refuse) : admitted(known);
  };

  return (request) => {
    try {
      return choose(request);
    } catch (thrown) {
      return refuse(thrown);
    }
  };
};
