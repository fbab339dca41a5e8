// Where the caller is in a publication, as a Readium progression document for apps that found its address in a feed.
import { addressesOf } from '../../readium/addresses.js';
import { progressionRows } from '../../readium/progression-rows.js';
import { byId } from '../../surface/schemas.js';
import { NATIVE, placeOf } from '../place.js';

export const PROGRESSION_ROWS = progressionRows({
  id: 'opds2.progression',
  path: '/books/{id}/progression',
  params: byId,
  addresses: (ctx, bookId) => addressesOf(placeOf(ctx).server + NATIVE, bookId),
});
