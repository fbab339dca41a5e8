// What core needs to know about a request: which ETag the client has, and when it goes away.
import type { Caller, Client, KnownActor } from '../../core/access/caller.js';
import { askerOf as askerIn, listReads as readsFor } from '../../core/catalog/list-reads.js';
import type { ListParts } from '../../core/catalog/query/page.js';
import type { MediaName } from '../../core/model/media.js';
import type { Asker, Reads } from '../../core/store/db.js';
import type { Request } from '../server/adapter.js';
import { hasTag } from './preconditions.js';
import type { Ctx } from './route.js';

export interface AskOfRequest {
  readonly has: (tag: string) => boolean;
  readonly signal: () => AbortSignal;
}

export const ask = (request: Request): AskOfRequest => {
  const ifNoneMatch = request.header('if-none-match');
  return { has: (tag) => hasTag(ifNoneMatch, tag), signal: () => request.signal };
};

/** Image types that count only if `Accept` names them; `*\/*` does not. */
const RARE = [
  ['heif', /\bimage\/hei[cf]\b(?!\s*;\s*q=0(?:\.0*)?\b)/i],
  ['jxl', /\bimage\/jxl\b(?!\s*;\s*q=0(?:\.0*)?\b)/i],
] as const satisfies readonly (readonly [MediaName, RegExp])[];

const SVG = /\bimage\/svg\+xml\b(?!\s*;\s*q=0(?:\.0*)?\b)/i;

interface Accepted {
  readonly accept: string;
  readonly images: readonly MediaName[];
  readonly card: 'svg' | 'jpeg';
}

const acceptedIn = (accept: string): Accepted => ({
  accept,
  images: RARE.filter(([, pattern]) => pattern.test(accept)).map(([name]) => name),
  card: SVG.test(accept) ? 'svg' : 'jpeg',
});

/** An app sends the same `Accept` with each image: matching it again would be a noticeable part of a cached page's cost. */
let latest = acceptedIn('');

const acceptedBy = (request: Request): Accepted => {
  const accept = request.header('accept');
  if (accept !== latest.accept) latest = acceptedIn(accept);
  return latest;
};

/** Types that most apps cannot show, and that this request names in `Accept`. */
export const acceptedImages = (request: Request): readonly MediaName[] => acceptedBy(request).images;

/** As `ask`, for a cover: a title card is an SVG only if `Accept` names that, as browsers do for images. */
export const askCover = (request: Request): AskOfRequest & { readonly card: 'svg' | 'jpeg' } => {
  const { has, signal } = ask(request);
  return { has, signal, card: acceptedBy(request).card };
};

/** The parts for the lists of a request. Reading stops when the client disconnects. */
export const partsFor = ({ app, request }: Pick<Ctx<unknown>, 'app' | 'request'>): ListParts => ({
  db: app.db,
  sets: app.sets,
  rows: app.rows,
  signal: request.signal,
});

type Asking = Pick<Ctx<unknown>, 'app' | 'request' | 'viewer'>;

/** The same for lists that need nothing but the database. */
export const listReads = (ctx: Asking): Reads => readsFor(partsFor(ctx), ctx.viewer);

/** For queues in which users take turns; a client that disconnects gives up its place. */
export const askerOf = (ctx: Asking): Asker => askerIn(partsFor(ctx), ctx.viewer);

/** Who changes something, as the audit log names them. */
export const actorOf = ({ caller, clientAddress }: Pick<Ctx<Caller>, 'caller' | 'clientAddress'>): KnownActor => ({
  caller,
  address: clientAddress(),
});

/** What the client says of itself, for the list of sessions. */
export const clientOf = ({ request, clientAddress }: Pick<Ctx<unknown>, 'request' | 'clientAddress'>): Client => {
  const agent = request.header('user-agent');
  return { agent: agent === '' ? null : agent, address: clientAddress() };
};
