// The series or books of all libraries, or those that have something in common: somebody who made them, a genre, a tag, a publisher.

import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { useTitle } from '../parts/title.js';
import { WallBrowser } from '../parts/wall-browser.js';
import { query } from '../state/router.js';

const KINDS = ['author', 'genre', 'tag', 'publisher'] as const;

export const Browse = () => {
  const { value: asked } = query;
  const kind = KINDS.find((one) => asked.get(one) !== null);
  const value = kind === undefined ? null : asked.get(kind);
  const title = value ?? (asked.get('of') === 'books' ? b.filter.allBooks : t.series.all);
  useTitle(title);
  return (
    <>
      <hgroup>
        {kind !== undefined && <p class="eyebrow">{t.series.kinds[kind]}</p>}
        <h1>{title}</h1>
      </hgroup>
      <WallBrowser criteria={kind === undefined || value === null ? {} : { [kind]: value }} empty={t.series.none} />
    </>
  );
};
