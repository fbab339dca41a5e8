// A wall of series with the choice of an order and of what is read; both stand in the address, so that links and the way back keep them.
import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import type { SeriesWish } from '../state/lists.js';
import { go, query } from '../state/router.js';
import { Choice } from './choice.js';
import { SeriesWall } from './series-wall.js';

const SORTS = [
  'name,asc',
  'date_added,desc',
  'date_updated,desc',
  'date_read,desc',
  'release_date,desc',
  'book_count,desc',
] as const;
const STATUSES = ['', 'unread', 'in_progress', 'read'] as const;

const oneOf = <T extends string>(words: readonly [T, ...T[]], given: string | null): T =>
  words.find((word) => word === given) ?? words[0];

const choose = (name: 'sort' | 'status', value: string): void => {
  const values = new URLSearchParams(location.search);
  if (value === '' || value === SORTS[0]) values.delete(name);
  else values.set(name, value);
  const text = values.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), { replaces: true });
};

interface Props {
  readonly wish: Omit<SeriesWish, 'sort' | 'status'>;
  readonly revision?: number;
  readonly empty: string;
}

export const SeriesBrowser = ({ wish, revision = 0, empty }: Props) => {
  const sort = oneOf(SORTS, query.value.get('sort'));
  const status = oneOf(STATUSES, query.value.get('status'));
  const total = useSignal<number | null>(null);
  return (
    <>
      <div class="filters">
        <p class="count" role="status">
          {total.value === null ? '' : t.series.count(total.value)}
        </p>
        <Choice
          label={t.series.sort}
          value={sort}
          options={SORTS.map((one) => [one, t.series.sorts[one]] as const)}
          onChoose={(value) => choose('sort', value)}
        />
        <Choice
          label={t.series.status}
          value={status}
          options={STATUSES.map((one) => [one, t.series.statuses[one === '' ? 'all' : one]] as const)}
          onChoose={(value) => choose('status', value)}
        />
      </div>
      <SeriesWall
        wish={{ ...wish, sort, status: status === '' ? undefined : status }}
        revision={revision}
        empty={status === '' ? empty : t.series.none}
        onTotal={(found) => {
          total.value = found;
        }}
      />
    </>
  );
};
