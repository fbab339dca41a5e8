// What the stream `apps` tells besides entities, for each audience that follows it.
import type { Reads } from '../store/db.js';
import type { Audience } from './audience.js';
import type { Changes } from './changes.js';
import { listNews } from './list-news.js';
import type { News } from './news.js';
import { readingNews } from './reading-news.js';

export const appNews = async (
  from: Reads,
  changes: Changes,
  libraries: ReadonlyMap<number, string>,
  audiences: readonly Audience[],
): Promise<ReadonlyMap<Audience, readonly News[]>> => {
  const told = new Map<Audience, readonly News[]>();
  for (const audience of audiences.filter(({ followed }) => followed.has('apps'))) {
    const lists = await listNews(from, changes, audience);
    told.set(audience, [...lists, ...(await readingNews(from, changes, libraries, audience))]);
  }
  return told;
};
