// What is told besides entities, for each audience that follows it: lists, and what each follower read.
import type { Reads } from '../store/db.js';
import type { Audience } from './audience.js';
import { listNews } from './list-news.js';
import type { ListCoverNews, ListNews, ReadingNews } from './news.js';
import { type ReadingStep, readingNews } from './reading-news.js';

export interface Besides {
  readonly lists: readonly (ListNews | ListCoverNews)[];
  readonly reading: readonly ReadingNews[];
}

export const appNews = async (
  from: Reads,
  step: ReadingStep,
  audiences: readonly Audience[],
): Promise<ReadonlyMap<Audience, Besides>> => {
  const told = new Map<Audience, Besides>();
  for (const audience of audiences) {
    const lists = audience.followed.has('apps') ? await listNews(from, step.changes, audience) : [];
    told.set(audience, { lists, reading: await readingNews(from, step, audience) });
  }
  return told;
};
