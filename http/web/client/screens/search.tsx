// Search as one types: over series, books, people, collections and read lists. What is asked stands in the address.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { BookCard } from '../parts/book-card.js';
import { type Fetching, Loaded, useFetched } from '../parts/fetched.js';
import { Field } from '../parts/field.js';
import { ListCard } from '../parts/list-card.js';
import { SeriesCard } from '../parts/series-card.js';
import { Shelf } from '../parts/shelf.js';
import { useTitle } from '../parts/title.js';
import { type Found, type RequestOptions, searched } from '../state/lists.js';
import { allNamedLists, type ListKind, type NamedList } from '../state/named-lists.js';
import { go, linkTo, query } from '../state/router.js';
import { may } from '../state/session.js';

const KINDS = ['collection', 'readList'] as const satisfies readonly ListKind[];
const READS = { collection: 'CollectionsRead', readList: 'ReadListsRead' } as const;
const LISTS_MAX = 24;

/** There are few of them: all are asked for, and searched here. */
const searchable = async (opts: RequestOptions): Promise<readonly NamedList[]> => {
  const found = await Promise.all(KINDS.filter((kind) => may(READS[kind])).map((kind) => allNamedLists(kind, opts)));
  return found.flat();
};

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const listsNamed = (lists: readonly NamedList[], text: string): readonly NamedList[] => {
  const words = folded(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return lists.filter(({ name }) => words.every((word) => folded(name).includes(word))).slice(0, LISTS_MAX);
};

const PAUSE_MS = 180;
const NOTHING: Found = { series: [], books: [], people: [] };
const NO_LISTS: readonly NamedList[] = [];

/** Answers, and what they answer: those to an earlier text stay on the screen until the next are in. */
interface Answered<T> {
  readonly to: string;
  readonly value: T;
}

interface ResultsProps {
  readonly found: Answered<Found>;
  readonly lists: readonly NamedList[];
  readonly text: string;
  /** Whether all answers to the text are in. */
  readonly isComplete: boolean;
}

/** Collections and read lists, a row of each. */
const ListShelves = ({ lists }: { readonly lists: readonly NamedList[] }) =>
  KINDS.map((kind) => {
    const own = lists.filter((one) => one.kind === kind);
    return (
      <Shelf key={kind} title={b.kinds[kind].many} count={own.length}>
        {own.map((one) => (
          <li key={one.id}>
            <ListCard list={one} />
          </li>
        ))}
      </Shelf>
    );
  });

const Waiting = () => <p class="loading" role="status" aria-label={t.app.loading} />;

const Results = ({ found, lists, text, isComplete }: ResultsProps) => {
  const { series, books, people } = found.value;
  if (series.length + books.length + people.length + lists.length === 0)
    return isComplete ? <p class="nothing">{t.search.nothing(text)}</p> : <Waiting />;
  return (
    <>
      <Shelf title={t.search.series} count={series.length}>
        {series.map((one) => (
          <li key={one.id}>
            <SeriesCard series={one} />
          </li>
        ))}
      </Shelf>
      <Shelf title={t.search.books} count={books.length}>
        {books.map((one) => (
          <li key={one.id}>
            <BookCard book={one} withSeries />
          </li>
        ))}
      </Shelf>
      <ListShelves lists={lists} />
      {people.length > 0 && (
        <section aria-labelledby="people">
          <h2 id="people">{t.search.people}</h2>
          <ul class="chips">
            {people.map(({ name, seriesCount }) => (
              <li key={name}>
                <a class="chip" href={linkTo('browse', '', { author: name })}>
                  {name} <span class="dim">{t.series.count(seriesCount)}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
};

const useAnswer = <T,>(text: string, none: T, ask: (signal: AbortSignal) => Promise<T>): Fetching<Answered<T>> =>
  useFetched(async (signal) => ({ to: text, value: text === '' ? none : await ask(signal) }), [text], {
    keepsOld: true,
  });

export const Search = () => {
  useTitle(t.app.search);
  const text = (query.value.get('q') ?? '').trim();
  const typed = useSignal(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.value !== text) go(linkTo('search', '', { q: typed.value }), { replaces: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value, text, typed]);
  const found = useAnswer(text, NOTHING, (signal) => searched(text, { signal }));
  const lists = useAnswer(text, NO_LISTS, (signal) => searchable({ signal }));
  const { value: loaded } = lists.state;
  const named = loaded.kind === 'done' ? listsNamed(loaded.value.value, text) : NO_LISTS;
  const areListsIn = loaded.kind === 'failed' || (loaded.kind === 'done' && loaded.value.to === text);
  return (
    <>
      <h1 class="visually-hidden">{t.app.search}</h1>
      <search class="search">
        <form onSubmit={(event) => event.preventDefault()}>
          <Field
            label={t.search.label}
            name="q"
            type="search"
            value={typed.value}
            autocomplete="off"
            spellcheck={false}
            autofocus={text === ''}
            onInput={(event) => {
              if (event.target instanceof HTMLInputElement) typed.value = event.target.value.trim();
            }}
          />
        </form>
      </search>
      <div aria-live="polite">
        {text === '' ? (
          <p class="nothing">{t.search.begin}</p>
        ) : (
          <Loaded of={found}>
            {(results) => (
              <Results found={results} lists={named} text={text} isComplete={areListsIn && results.to === text} />
            )}
          </Loaded>
        )}
      </div>
    </>
  );
};
