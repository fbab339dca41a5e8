// Search as one types: over series, books and people. What is asked stands in the address.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { BookCard } from '../parts/book-card.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Field } from '../parts/field.js';
import { SeriesCard } from '../parts/series-card.js';
import { Shelf } from '../parts/shelf.js';
import { useTitle } from '../parts/title.js';
import { type Found, searched } from '../state/lists.js';
import { go, linkTo, query } from '../state/router.js';

const PAUSE_MS = 180;
const NOTHING: Found = { series: [], books: [], people: [] };

const Results = ({ found, text }: { readonly found: Found; readonly text: string }) => {
  const { series, books, people } = found;
  if (series.length + books.length + people.length === 0) return <p class="nothing">{t.search.nothing(text)}</p>;
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
  const found = useFetched((signal) => (text === '' ? Promise.resolve(NOTHING) : searched(text, { signal })), [text], {
    keepsOld: true,
  });
  return (
    <>
      <h1 class="unseen">{t.app.search}</h1>
      <search class="search">
        <form onSubmit={(event) => event.preventDefault()}>
          <Field
            label={t.search.label}
            name="q"
            type="search"
            value={typed.value}
            autocomplete="off"
            spellcheck={false}
            autofocus
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
          <Loaded of={found}>{(results) => <Results found={results} text={text} />}</Loaded>
        )}
      </div>
    </>
  );
};
