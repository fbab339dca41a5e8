// The pages of a book as a feed, for apps that know no templates.
import type { Book } from '../../../core/catalog/books.js';
import type { Window } from '../../../core/model/paging.js';
import type { Reply } from '../../server/adapter.js';
import { bookPath, isStreamed, titleOf } from '../books.js';
import { uuidUrn } from '../feed.js';
import { ATOM_PAGES, REL } from '../media-types.js';
import { type Place, pageLinks } from '../place.js';
import { timeText } from '../time.js';
import { AUTHOR, atomReply, frameLinks, NAMESPACES } from './feed.js';
import { documentOf, element, type Markup, said } from './xml.js';

const pageEntry = ({ root }: Place, book: Book, number: number): Markup =>
  element(
    'entry',
    {},
    said('title', `Page ${number}`),
    said('id', `${uuidUrn(book.id)}#page-${number}`),
    said('updated', timeText(book.updatedAt)),
    element('link', { rel: REL.page, type: 'image/jpeg', href: `${root}${bookPath(book)}/pages/${number}` }),
  );

export const pagesFeed = (place: Place, book: Book, path: string, window: Window): Reply => {
  const total = isStreamed(book) ? book.pageCount : 0;
  const first = (window.page - 1) * window.pageSize + 1;
  const length = Math.max(0, Math.min(window.pageSize, total - first + 1));
  const { previous, next } = pageLinks(path, { ...window, total });
  const own = { path, kind: 'acquisition', title: '' } as const;
  const up = { path: `/series/${book.seriesId}`, kind: 'acquisition', title: book.seriesName } as const;
  const beside = (rel: 'previous' | 'next', to: string | null): readonly Markup[] =>
    to === null ? [] : [element('link', { rel, type: ATOM_PAGES, href: place.root + to })];
  return atomReply(
    ATOM_PAGES,
    documentOf(
      element(
        'feed',
        NAMESPACES,
        said('id', `${uuidUrn(book.id)}#pages`),
        said('title', titleOf(book)),
        said('updated', timeText(book.updatedAt)),
        AUTHOR,
        ...frameLinks(place, own, up),
        ...beside('previous', previous),
        ...beside('next', next),
        ...Array.from({ length }, (_, at) => pageEntry(place, book, first + at)),
      ),
    ),
  );
};
