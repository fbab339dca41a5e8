// Search as one types: over series, books, people, collections and read lists. What is asked stands in the address.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { BookCard } from '../parts/book-card.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Field } from '../parts/field.js';
import { ListCard } from '../parts/list-card.js';
import { SeriesCard } from '../parts/series-card.js';
import { Shelf } from '../parts/shelf.js';
import { useTitle } from '../parts/title.js';
import { type Found, found, NOTHING_FOUND } from '../state/found.js';
import type { ListKind, NamedList } from '../state/named-lists.js';
import { go, linkTo, query } from '../state/router.js';

const KINDS = ['collection', 'readList'] as const satisfies readonly ListKind[];
const PAUSE_MS = 180;

/** An answer, and what it answers: that to an earlier text stays on the screen until the next is in. */
interface Answered {
  readonly to: string;
  readonly found: Found;
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

const Results = ({ answer, text }: { readonly answer: Answered; readonly text: string }) => {
  const { series, books, people, lists } = answer.found;
  if (series.length + books.length + people.length + lists.length === 0)
    return answer.to === text ? <p class="nothing">{t.search.nothing(text)}</p> : <Waiting />;
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
  const answer = useFetched(
    async (signal): Promise<Answered> => ({
      to: text,
      found: text === '' ? NOTHING_FOUND : await found(text, { signal }),
    }),
    [text],
    { keepsOld: 'until answered' },
  );
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
          <Loaded of={answer}>{(last) => <Results answer={last} text={text} />}</Loaded>
        )}
      </div>
    </>
  );
};
