// Genres and tags as shown on the wire: GenreDto and TagDto are alike.
import type { Term } from '../../../core/catalog/taxonomy.js';
import { instant } from './time.js';

export const termView = (term: Term) => ({
  id: term.id,
  name: term.name,
  seriesCount: term.seriesCount,
  createdAt: instant(term.createdAt),
});
