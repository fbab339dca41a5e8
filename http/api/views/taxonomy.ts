// Genres and tags as shown on the wire: GenreDto and TagDto are alike.
import type { Term } from '../../../core/catalog/taxonomy.js';
import type { Wire } from '../../surface/wire.js';
import type { Term as TermSchema } from '../schemas/taxonomy.js';
import { instant } from './time.js';

export const termView = (term: Term): Wire<typeof TermSchema> => ({
  id: term.id,
  name: term.name,
  seriesCount: term.seriesCount,
  createdAt: instant(term.createdAt),
});
