// A wall of series or books with a choice of sort order and read status, and with filters; all of it is part of the address, so that
// links and the Back button keep it.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { filterFor, type Group, textOf, type WallOf } from '../state/filters.js';
import { allLibraries, firstOf, type WallCriteria } from '../state/lists.js';
import type { Member } from '../state/named-lists.js';
import { chooseInQuery, query } from '../state/router.js';
import { READ_STATUSES, type ReadStatus, readStatusIn } from '../state/series-books.js';
import { SORTS, type Sort, sortFor, sortIn, sortText } from '../state/sorts.js';
import { SelectionControls } from './action-bar.js';
import { Choice } from './choice.js';
import { useFetched } from './fetched.js';
import { FilterButton, FilterChips, filterOf } from './filter-chips.js';
import { FilteredWall, useWallBlocks } from './filtered-wall.js';
import { CHOSEN_MAX, useSelection } from './selection.js';

/** What both walls are called, and what is said of how much is on them. */
const WALLS = {
  series: { text: () => t.series.wall, count: (count: number) => t.series.count(count) },
  books: { text: () => t.series.booksTitle, count: (count: number) => t.series.books(count) },
} as const;

const nameOf = (sort: Sort): string =>
  (({ ...t.series.sorts, ...b.bookSorts }) as Readonly<Record<string, string>>)[sort] ?? sort;

interface SwitchProps {
  readonly of: WallOf;
  readonly sort: Sort;
  readonly filter: Group;
}

/** Switches to the other wall, and keeps the order and the filter as far as that wall has them. */
const switchTo = ({ of, sort, filter }: SwitchProps): void =>
  chooseInQuery({
    of: of === 'books' ? of : '',
    sort: sortText(of, sortFor(of, sort)),
    filter: textOf(filterFor(of, filter)),
  });

const WallSwitch = ({ of, sort, filter }: SwitchProps) => (
  <fieldset class="segments">
    <legend class="visually-hidden">{b.filter.what}</legend>
    {(['series', 'books'] as const).map((one) => (
      <label key={one}>
        <input type="radio" name="of" checked={one === of} onChange={() => switchTo({ of: one, sort, filter })} />
        <span>{WALLS[one].text()}</span>
      </label>
    ))}
  </fieldset>
);

interface Props {
  readonly criteria: Omit<WallCriteria, 'sort' | 'status' | 'filter'>;
  readonly revision?: number;
  readonly empty: string;
}

interface ChoicesProps {
  readonly of: WallOf;
  readonly sort: Sort;
  readonly status: ReadStatus;
}

const Choices = ({ of, sort, status }: ChoicesProps) => (
  <>
    <Choice<Sort>
      label={t.series.sort}
      value={sort}
      options={SORTS[of].map((one) => [one, nameOf(one)] as const)}
      onChoose={(value) => chooseInQuery({ sort: sortText(of, value) })}
    />
    <Choice
      label={t.series.status}
      value={status}
      options={READ_STATUSES.map((one) => [one, t.series.statuses[one === '' ? 'all' : one]] as const)}
      onChoose={(value) => chooseInQuery({ status: value })}
    />
  </>
);

export const WallBrowser = ({ criteria: given, revision = 0, empty }: Props) => {
  const canSwitch = given.author === undefined && given.publisher === undefined;
  const { value: asked } = query;
  const of: WallOf = canSwitch && asked.get('of') === 'books' ? 'books' : 'series';
  const sort = sortIn(of, asked.get('sort'));
  const status = readStatusIn(asked.get('status'));
  const filter = filterOf(of, asked);
  const criteria = { ...given, sort, status: status === '' ? undefined : status, filter };
  const changes = useSignal(0);
  const revisions = revision + changes.value;
  const blocks = useWallBlocks(of, criteria, revisions);
  const selection = useSelection<Member>(blocks.at, of + JSON.stringify(criteria));
  const known = useFetched((signal) => allLibraries({ signal }), []);
  const libraries = known.state.value.kind === 'done' ? known.state.value.value : [];
  const total = blocks.loaded.value?.total;
  const isAll = status === '' && filter.parts.length === 0;
  return (
    <>
      <div class="filters">
        {canSwitch && <WallSwitch of={of} sort={sort} filter={filter} />}
        <p class="count" role="status">
          {total === undefined ? '' : WALLS[of].count(total)}
        </p>
        <SelectionControls
          selection={selection}
          all={total}
          loadAll={(signal) => firstOf(of, criteria, CHOSEN_MAX, { signal })}
          onDone={() => {
            changes.value += 1;
          }}
        />
        <FilterButton of={of} filter={filter} libraries={libraries} />
        <Choices of={of} sort={sort} status={status} />
      </div>
      <FilterChips filter={filter} libraries={libraries} />
      <FilteredWall
        of={of}
        criteria={criteria}
        revision={revisions}
        blocks={blocks}
        selection={selection}
        empty={isAll ? empty : t.series.none}
      />
    </>
  );
};
