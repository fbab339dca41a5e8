// A format of feeds, and how a feed becomes rows of a surface in that format.
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../../core/access/caller.js';
import type { Reply } from '../server/adapter.js';
import { media } from '../surface/replies.js';
import { type Access, type Ctx, type Route, route } from '../surface/route.js';
import type { none } from '../surface/schemas.js';
import type { Feed } from './feed.js';
import { type Place, placeOf } from './place.js';

export interface Dialect {
  /** Prefix of the ids of its rows. */
  readonly name: string;
  readonly types: readonly [string, ...string[]];
  /** Whether feeds show the beginnings of others. */
  readonly hasGroups: boolean;
  feed(place: Place, feed: Feed): Reply;
}

type Ask = Ctx<Caller>;

interface FeedRow<P extends TSchema, Q extends TSchema> {
  readonly id: string;
  /** Apps know some feeds by several names. */
  readonly paths: readonly [string, ...string[]];
  readonly access: Exclude<Access, 'public'>;
  readonly params?: P;
  readonly query?: Q;
  readonly about: string;
  /** False where it is made of more than the catalogue and what the caller has read. */
  readonly kept?: boolean;
  readonly make: (
    ctx: Ask,
    input: { readonly params: Static<P>; readonly query: Static<Q> },
    dialect: Dialect,
  ) => Promise<Feed>;
}

/** The rows of a feed in any format. */
export type FeedRows = (dialect: Dialect) => readonly Route[];

export const feedRows =
  <P extends TSchema = typeof none, Q extends TSchema = typeof none>({
    id,
    paths,
    access,
    params,
    query,
    about,
    kept = true,
    make,
  }: FeedRow<P, Q>): FeedRows =>
  (dialect) =>
    paths.map((path) =>
      route({
        id: `${dialect.name}.${id}`,
        method: 'GET',
        path,
        access,
        kept,
        ...(params === undefined ? {} : { params }),
        ...(query === undefined ? {} : { query }),
        reply: { 200: media(...dialect.types) },
        about,
        run: async (ctx: Ask, input: { readonly params: Static<P>; readonly query: Static<Q> }) =>
          dialect.feed(placeOf(ctx), await make(ctx, input, dialect)),
      }),
    );
