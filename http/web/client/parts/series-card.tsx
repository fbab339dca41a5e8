// A series on a wall or in a shelf: its cover, and how many of its books are unread.

import { numberText, t } from '../messages/messages.js';
import type { Series } from '../state/api.js';
import { linkTo } from '../state/router.js';
import { CardTitle } from './card-title.js';
import { Cover } from './cover.js';
import { Icon } from './icon.js';

export const SeriesCard = ({ series, isLazy = true }: { readonly series: Series; readonly isLazy?: boolean }) => (
  <a class="card" href={linkTo('series', series.id)}>
    <span class="cover-box">
      <Cover of={{ kind: 'series', id: series.id, updatedAt: series.updatedAt }} isLazy={isLazy} />
      <span class="badge">
        {series.unreadCount > 0 ? (
          <>
            <span aria-hidden="true">{numberText(series.unreadCount)}</span>
            <span class="visually-hidden">{t.series.unread(series.unreadCount)}</span>
          </>
        ) : (
          <>
            <Icon name="check" />
            <span class="visually-hidden">{t.book.isRead}</span>
          </>
        )}
      </span>
    </span>
    <CardTitle title={series.title} />
    <span class="card-more">{t.series.books(series.bookCount)}</span>
  </a>
);
