// The effective facts of a book: sources by rank, what users set, cleared and locked, and a random model of all of it, field by field.
import fc from 'fast-check';
import {
  type BookLock,
  NO_FACTS,
  namesIn,
  packFacts,
  type RoleField,
  type StoredFacts,
} from '../../core/catalog/book-facts.js';
import { edit, hear, relock, settleBook } from '../../core/catalog/settle-book.js';
import { type BookState, type Ranks, type ReadSource, type Said, SOURCES } from '../../core/catalog/sources.js';
import type { Author, AuthorRole, BookFacts } from '../../core/model/metadata.js';
import { PLAIN_RULES } from '../../core/model/strategies.js';
import { assert, block, type Check } from '../kit.js';

const PLACE = { folderPath: 'Tales', fileName: 'tale v2 c7.cbz' };
const NOTHING: BookState = {
  user: {},
  said: new Map(),
  locks: new Set(),
  facts: NO_FACTS,
  isStored: false,
  rows: [],
};

const settled = (state: BookState): BookState => ({
  ...state,
  facts: settleBook(state, state.locks, PLAIN_RULES, PLACE).facts,
});

const said = (facts: Partial<BookFacts>, isComplete = true): Said => ({ facts, series: {}, isComplete });
const person = (name: string, role: AuthorRole): Author => ({ name, role, sortName: null });
const bookOf = (facts: Partial<BookFacts>, isComplete = true): BookState =>
  settled({ ...NOTHING, said: new Map([['file', said(facts, isComplete)]]) });
const lock = (state: BookState, ...locks: readonly BookLock[]): BookState => settled(relock(state, new Set(locks)));
const change = (
  state: BookState,
  ...asked: readonly [Partial<StoredFacts>?, Partial<Record<RoleField, string | null>>?]
) => settled(edit(state, { facts: asked[0] ?? {}, roles: asked[1] ?? {}, leftOut: new Set() }));
const read = (state: BookState, facts: Partial<BookFacts> | null): BookState =>
  settled(hear(state, 'file', facts === null ? null : said(facts)));

const single = (check: Check): void => {
  check('an unlocked field shows at once what the file says', () => {
    const mine = change(bookOf({ title: 'Theirs', year: 1999 }), { title: 'Mine', summary: 'Mine.' });
    assert.equal([mine.facts.title, mine.facts.year, [...mine.locks]], ['Mine', 1999, ['title', 'summary']]);
    const back = lock(mine, 'summary');
    assert.equal([back.facts.title, back.facts.summary], ['Theirs', 'Mine.']);
  });
  check('a cleared field stays empty until the file says something new, or it is unlocked', () => {
    const cleared = change(bookOf({ summary: 'Old.' }), { summary: null });
    assert.equal([cleared.facts.summary, cleared.locks.size], [null, 0]);
    const same = read(cleared, { summary: 'Old.', year: 2000 });
    assert.equal([same.facts.summary, same.facts.year], [null, 2000]);
    assert.is(read(same, { summary: 'New.' }).facts.summary, 'New.');
    assert.is(read(read(same, null), { summary: 'Old.' }).facts.summary, 'Old.');
    assert.is(lock(lock(cleared, 'summary')).facts.summary, 'Old.');
    assert.is(read(lock(cleared, 'summary'), { summary: 'New.' }).facts.summary, null);
  });
  check('a role that was set keeps its people, the others come from the file; a full list leaves none to roles', () => {
    const book = bookOf({ authors: [person('Theirs', 'writer'), person('Ink', 'inker')] });
    const mine = change(book, {}, { writer: 'Mine' });
    assert.equal(read(mine, { authors: [person('Other', 'writer'), person('New', 'inker')] }).facts.authors, [
      person('New', 'inker'),
      person('Mine', 'writer'),
    ]);
    const whole = change(mine, { authors: [person('All', 'editor')] });
    assert.equal(whole.facts.authors, [person('All', 'editor')]);
    assert.equal(lock(change(book, {}, { inker: null })).facts.authors, [person('Theirs', 'writer')]);
  });
  check('unlocking all authors and a role together, with an unknown file, keeps each person once', () => {
    const authors = [person('Mine', 'writer'), person('Ink', 'inker')];
    const mine = change(bookOf({}, false), { authors }, { writer: 'Mine' });
    assert.equal([...mine.locks], ['authors', 'writer']);
    assert.equal(
      lock(mine).facts.authors.map(({ name }) => name),
      ['Ink', 'Mine'],
    );
  });
  check('facts that only users set stay without a lock', () => {
    const book = lock(change(bookOf({ title: 'T' }), { customMetadata: { shelf: 3 } }));
    assert.equal(read(book, null).facts.customMetadata, { shelf: 3 });
    assert.equal(change(book, { customMetadata: null }).user, {});
  });
  check('a source that may say more counts as saying what was unlocked, until it is read again', () => {
    const old = lock(bookOf({ title: 'T', authors: [person('A', 'writer')] }, false), 'title', 'writer');
    const partly = settled({ ...old, said: new Map([['file', said({}, false)]]) });
    const open = lock(partly);
    assert.equal([open.facts.title, open.facts.authors], ['T', [person('A', 'writer')]]);
    assert.equal(packFacts(read(open, {}).facts), '{}');
  });
  check('the strategy decides what is shown of a book whose fields no user set', () => {
    const book = bookOf({ title: 'Embedded' });
    const shown = (bookStrategy: 'filename' | 'metadata_first'): unknown[] => {
      const { columns } = settleBook(book, book.locks, { ...PLAIN_RULES, bookStrategy }, PLACE);
      return [columns.title, columns.titleSort, columns.volume, columns.chapter];
    };
    assert.equal(shown('filename'), ['tale v2 c7', 'tale v\t0000000002, c\t0000000007,', 2, 7]);
    assert.equal(shown('metadata_first'), ['Embedded', 'embedded', 2, 7]);
  });
};

const RANKED = {
  ...SOURCES,
  sidecar: { id: 2, rank: 10 },
  plugin: { id: 3, rank: 30, fields: { summary: 5 } },
} as const satisfies Ranks;

const several = (check: Check): void => {
  const of = (all: Readonly<Record<string, Partial<BookFacts>>>): StoredFacts => {
    const sources = Object.entries(all).map(([name, facts]) => [name as ReadSource, said(facts)] as const);
    return settleBook({ user: {}, said: new Map(sources) }, new Set(), PLAIN_RULES, PLACE, RANKED).facts;
  };
  check('for each field the highest-ranked source with a value wins; a source may rank differently in a field', () => {
    const facts = of({
      plugin: { title: 'P', summary: 'P.', publisher: 'P' },
      file: { title: 'F', summary: 'F.', subjects: ['f'] },
      sidecar: { title: 'S', subjects: [] },
    });
    assert.equal([facts.title, facts.summary, facts.publisher, facts.subjects], ['S', 'P.', 'P', ['f']]);
  });
  check('a month goes with the year of its source', () => {
    const both = of({ sidecar: { year: 1999 }, file: { year: 2001, month: 5 } });
    assert.equal([both.year, both.month], [1999, null]);
    const same = of({ sidecar: { year: 2001 }, file: { year: 2001, month: 5 } });
    assert.equal([same.year, same.month], [2001, 5]);
  });
};

interface ModelField {
  file: string | null;
  mine: string | null;
  isLocked: boolean;
  isCleared: boolean;
}

const FIELDS = ['summary', 'publisher', 'writer', 'inker'] as const;
type Field = (typeof FIELDS)[number];
const isRole = (field: Field): field is 'writer' | 'inker' => field === 'writer' || field === 'inker';

const value = fc.constantFrom('One', 'Two', 'Three');
const field = fc.constantFrom(...FIELDS);
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), field, value }),
  fc.record({ kind: fc.constant('clear' as const), field }),
  fc.record({ kind: fc.constant('lock' as const), field, isOn: fc.boolean() }),
  fc.record({
    kind: fc.constant('read' as const),
    values: fc.record({
      summary: fc.option(value),
      publisher: fc.option(value),
      writer: fc.option(value),
      inker: fc.option(value),
    }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const shownBy = ({ file, mine, isLocked, isCleared }: ModelField): string | null =>
  isLocked ? mine : isCleared ? null : file;

const follow = (model: ModelField, name: Field, one: Step): void => {
  if (one.kind === 'read') {
    const news = one.values[name];
    if (news !== null && news !== model.file) model.isCleared = false;
    model.file = news;
    return;
  }
  if (one.field !== name) return;
  if (one.kind === 'set') Object.assign(model, { mine: one.value, isLocked: true, isCleared: false });
  else if (one.kind === 'clear')
    Object.assign(model, model.isLocked ? { mine: null } : { isCleared: model.isCleared || model.file !== null });
  else if (one.isOn && !model.isLocked)
    Object.assign(model, { mine: shownBy(model), isLocked: true, isCleared: false });
  else if (!one.isOn && model.isLocked) Object.assign(model, { isLocked: false, isCleared: false });
};

const apply = (state: BookState, one: Step): BookState => {
  if (one.kind === 'read') {
    const { summary, publisher, writer, inker } = one.values;
    const authors = [
      ...(writer === null ? [] : [person(writer, 'writer')]),
      ...(inker === null ? [] : [person(inker, 'inker')]),
    ];
    return read(state, { summary, publisher, authors });
  }
  if (one.kind === 'lock') {
    const locks = new Set(state.locks);
    if (one.isOn) locks.add(one.field);
    else locks.delete(one.field);
    return lock(state, ...locks);
  }
  const text = one.kind === 'set' ? one.value : null;
  return isRole(one.field) ? change(state, {}, { [one.field]: text }) : change(state, { [one.field]: text });
};

const shownIn = ({ facts }: BookState, name: Field): string | null =>
  isRole(name) ? (namesIn(facts.authors, name)[0] ?? null) : facts[name];

const random = (check: Check): void => {
  check('any order of reading, setting, clearing, locking and unlocking gives the same as each field alone', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const models = new Map(
          FIELDS.map((name) => [name, { file: null, mine: null, isLocked: false, isCleared: false } as ModelField]),
        );
        let state = settled(NOTHING);
        for (const one of steps) {
          state = apply(state, one);
          for (const [name, model] of models) {
            follow(model, name, one);
            assert.is(shownIn(state, name), shownBy(model), `${name} after ${JSON.stringify(one)}`);
            assert.is(state.locks.has(name), model.isLocked);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
};

block('settle a book: one source', single);
block('settle a book: several sources', several);
block('settle a book: random changes', random);
