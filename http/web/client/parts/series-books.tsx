// The books of a series: a wall, and in a long series a choice of order and read status, and a field that leads to a number.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { numberText, t } from '../messages/messages.js';
import type { Book } from '../state/api.js';
import type { Member } from '../state/named-lists.js';
import { chooseInQuery, query } from '../state/router.js';
import {
  arranged,
  BOOK_ORDERS,
  type BookOrder,
  bookOrderIn,
  hasNumbers,
  numberTyped,
  placeOfNumber,
  READ_STATUSES,
  type ReadStatus,
  readStatusIn,
} from '../state/series-books.js';
import { SelectionControls } from './action-bar.js';
import { CardWall } from './card-wall.js';
import { Choice } from './choice.js';
import { NumberForm } from './number-form.js';
import { useSelection } from './selection.js';

/** In a shorter series, everything is seen at a glance. */
const LONG_FROM = 12;

interface ControlsProps {
  readonly order: BookOrder;
  readonly status: ReadStatus;
  readonly canJump: boolean;
  readonly onNumber: (number: number) => void;
}

const Controls = ({ order, status, canJump, onNumber }: ControlsProps) => (
  <div class="filters">
    <Choice<BookOrder>
      label={t.series.sort}
      value={order}
      options={BOOK_ORDERS.map((one) => [one, b.seriesBooks.orders[one]] as const)}
      onChoose={(value) => chooseInQuery({ sort: value === BOOK_ORDERS[0] ? '' : value })}
    />
    <Choice<ReadStatus>
      label={t.series.status}
      value={status}
      options={READ_STATUSES.map((one) => [one, t.series.statuses[one === '' ? 'all' : one]] as const)}
      onChoose={(value) => chooseInQuery({ status: value })}
    />
    {canJump && (
      <NumberForm
        class="jump"
        label={b.seriesBooks.jump}
        action={b.seriesBooks.go}
        isDecimal
        parse={numberTyped}
        onNumber={onNumber}
      />
    )}
  </div>
);

interface Props {
  readonly books: readonly Book[];
  readonly onChange: () => void;
}

export const SeriesBooks = ({ books, onChange }: Props) => {
  const { value: asked } = query;
  const isLong = books.length >= LONG_FROM;
  const order = bookOrderIn(isLong ? asked.get('sort') : null);
  const status = readStatusIn(isLong ? asked.get('status') : null);
  const shown = useMemo(() => arranged(books, order, status), [books, order, status]);
  const jump = useSignal<{ readonly to: number; readonly focuses: true } | null>(null);
  const at = (place: number): Book | undefined => shown[place];
  const selection = useSelection<Member>(at, `${order} ${status}`);
  const toNumber = (number: number): void => {
    const to = placeOfNumber(shown, number);
    if (to >= 0) jump.value = { to, focuses: true };
  };
  return (
    <section class="books" aria-labelledby="books">
      <div class="head">
        <h2 id="books">
          {t.series.booksTitle}{' '}
          <span class="dim" role="status">
            {numberText(shown.length)}
          </span>
        </h2>
        <SelectionControls selection={selection} all={shown.length} onDone={onChange} />
      </div>
      {isLong && <Controls order={order} status={status} canJump={hasNumbers(shown)} onNumber={toNumber} />}
      {shown.length === 0 && books.length > 0 ? (
        <p class="nothing">{t.series.none}</p>
      ) : (
        <CardWall
          total={shown.length}
          label={t.series.booksTitle}
          at={at}
          selection={selection}
          withSeries={false}
          jump={jump.value}
        />
      )}
    </section>
  );
};
