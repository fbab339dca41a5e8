// What another way of naming would change in a library: how many books, and a few of them.
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { numberText, t } from '../messages/messages.js';
import { librariesStrategiesPreview, type StrategyPreview } from '../state/api.js';
import { type Naming, STRATEGIES } from '../state/naming.js';
import { useFetched } from './fetched.js';

interface Shown {
  readonly title: string;
  readonly number: number | null;
}

export const shownText = ({ title, number }: Shown): string =>
  number === null ? title : `${t.book.number(numberText(number))} · ${title}`;

const Changes = ({ preview }: { readonly preview: StrategyPreview }) => {
  const { books, changed, isComplete, examples } = preview;
  if (changed === 0) return <p class="hint">{b.naming.none}</p>;
  return (
    <div class="naming-preview">
      <p>{isComplete ? b.naming.changes(changed, books) : b.naming.changesMore(changed, books)}</p>
      <ul>
        {examples.map(({ id, seriesName, before, after }) => (
          <li key={id}>
            <span class="dim">{seriesName}</span>
            <del>{shownText(before)}</del>
            <ins>{shownText(after)}</ins>
          </li>
        ))}
      </ul>
      <p class="hint">{b.naming.applied}</p>
    </div>
  );
};

interface Props {
  readonly libraryId: string;
  readonly naming: Exclude<Naming, 'other'>;
}

export const NamingPreview = ({ libraryId, naming }: Props) => {
  const preview = useFetched(
    (signal) => librariesStrategiesPreview({ id: libraryId, body: STRATEGIES[naming] }, { signal }),
    [libraryId, naming],
  );
  const { value } = preview.state;
  return (
    <div role="status">
      {value.kind === 'loading' && <p class="hint">{b.naming.looking}</p>}
      {value.kind === 'failed' && <p class="error">{explain(value.thrown).text}</p>}
      {value.kind === 'done' && <Changes preview={value.value} />}
    </div>
  );
};
