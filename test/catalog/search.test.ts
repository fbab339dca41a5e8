// Full text: what is folded, what each piece finds, that any input is safe, and that the index follows every change.

import fc from 'fast-check';
import { listBooks } from '../../core/catalog/list-books.js';
import { listSeries } from '../../core/catalog/list-series.js';
import { matchOf } from '../../core/catalog/search/words.js';
import { AppError } from '../../core/model/errors.js';
import { searchKey, searchRuns } from '../../core/model/search-key.js';
import { unrestricted } from '../../core/model/viewer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block, thrownBy } from '../kit.js';
import { fill, modelOf, type RandomShelf, type Shelved, withCatalog } from './random-shelf.js';

const SERIES: RandomShelf['series'][number] = {
  library: 1,
  name: 'Shelf',
  titleSort: null,
  titles: [],
  summary: null,
  publisher: null,
  language: null,
  status: null,
  authors: [],
  year: null,
  total: null,
  genres: [],
  tags: [],
  sharing: [],
  held: false,
  createdAt: 0,
  updatedAt: 0,
};

const BOOK: RandomShelf['books'][number] = {
  series: 0,
  title: '',
  facts: null,
  number: null,
  format: 'cbz',
  error: null,
  deleted: false,
  pageCount: 1,
  fileSize: 1,
  mtime: 0,
  createdAt: 0,
  genres: [],
  tags: [],
  held: false,
  progress: [null, null],
};

const WINDOW = { page: 1, pageSize: 50 };
const ORDER = { sort: 'relevance', descending: false } as const;

const titles = async (parts: Shelved, fullTextSearch: string): Promise<string[]> =>
  (await listBooks(parts, unrestricted(1), { fullTextSearch, order: ORDER, window: WINDOW })).items.map(
    ({ title }) => title,
  );

const names = async (parts: Shelved, fullTextSearch: string): Promise<string[]> =>
  (await listSeries(parts, unrestricted(1), { fullTextSearch, order: ORDER, window: WINDOW })).items.map(
    ({ name }) => name,
  );

const withTitles = (list: readonly string[], use: (parts: Shelved) => Promise<void>): Promise<void> =>
  withCatalog(async (parts) => {
    const books = list.map((title) => ({ ...BOOK, title }));
    await fill(parts.db, modelOf({ series: [{ ...SERIES, authors: ['Ann Ö', '鬼頭'], tags: ['冒険'] }], books }));
    await use(parts);
  });

const FOUND: readonly (readonly [what: string, title: string, query: string])[] = [
  ['a word', 'The Walking Dead', 'walking'],
  ['the beginning of a word', 'The Walking Dead', 'walk'],
  ['words in any order', 'The Walking Dead', 'dead the'],
  ['accents that were not typed', 'Épée à Noël', 'epee noel'],
  ['accents that are not there', 'Epee', 'épée'],
  ['another case', 'Straße ØRSTED', 'STRASSE orsted'],
  ['another case of Greek', 'ΟΔΟΣ', 'οδός'],
  ['full-width letters', 'ＡＢＣ', 'abc'],
  ['half-width kana', 'ｶﾞﾝﾀﾞﾑ', 'ガンダム'],
  ['the other kana', 'ガンダム', 'がんだ'],
  ['one character inside', '進撃の巨人', '巨'],
  ['two characters inside', '進撃の巨人', '撃の'],
  ['two pieces', '進撃の巨人', '巨人 進'],
  ['a long piece inside', '新進撃の巨人外伝', '進撃の巨人'],
  ['Hangul inside', '나혼자만레벨업', '레벨'],
  ['Thai inside', 'วันพีซ', 'พีซ'],
  ['text without word spaces next to a word', 'NARUTO疾風伝3', '疾風 naru'],
  ['digits', 'Batman 404', '404'],
  ['punctuation around words', '(C++): a-b!', 'c a b'],
  ['a number after a letter', 'Berserk c10.5', 'berserk 10.5'],
  ['a number with its letter', 'Berserk c10.5', 'c10.5'],
  ['a letter and its number apart', 'Berserk c10.5', 'c 10'],
  ['a letter with its number, where the title has them apart', 'Berserk Vol 10', 'vol10'],
  ['the beginning of a number after a letter', 'Berserk c10.5', 'c1'],
  ['letters after a number', '4ème 3D', 'eme 3d'],
  ['sharp s', 'Straße', 'STRASSE'],
];

const HOSTILE = [
  '"',
  '""',
  'foo"bar',
  'AND',
  'a OR b',
  'NOT',
  '(x',
  "it's",
  'C++',
  'title:x',
  '-foo',
  '*',
  'a*',
  '^a',
  'NEAR(a b)',
  '{a b}:c',
  "');--",
  '\u0000',
  '\ud800',
  '%',
  '_',
  '💥',
  '🇯🇵',
  '\u0301',
  'ー',
  ' ',
];

block('search: folding', (check) => {
  check('equivalent spellings have one key', () => {
    for (const [a, b] of [
      ['Épée', 'epee'],
      ['ｶﾞ', 'が'],
      ['ﬁn', 'FIN'],
      ['Ⅳ', 'iv'],
      ['İstanbul', 'istanbul'],
      ['각', '각'],
    ])
      assert.is(searchKey(a ?? ''), searchKey(b ?? ''), `${a} ${b}`);
  });
  check('a voiced kana is another kana', () => assert.is.not(searchKey('か'), searchKey('が')));
  check('characters of scripts without word spaces are split, words are not', () =>
    assert.is(searchKey('東京Tower2号'), '東 京 tower 2 号'),
  );
  check('folding again changes nothing, and any text gives only tokens', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const key = searchKey(text);
        assert.is(searchKey(key), key);
        assert.equal(
          searchRuns(text)
            .flatMap(({ tokens }) => tokens.split(' '))
            .filter((token) => !/^[\p{L}\p{N}\u3099\u309Aー]+$/u.test(token)),
          [],
        );
      }),
    ),
  );
});

block('search: matches', (check) => {
  check('a text over 1,000 characters is refused; blank is no search', async () => {
    const thrown = await thrownBy(() => matchOf('x'.repeat(1001)));
    assert.ok(thrown instanceof AppError && thrown.kind === 'BadRequest');
    assert.equal([matchOf(' \n'), matchOf(null), matchOf('!?')], [null, null, '']);
  });
  check('any input is safe', () =>
    withTitles(['foo bar', 'a'], async (parts) => {
      for (const query of HOSTILE) await titles(parts, query);
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
          async (query) => void (await titles(parts, query)),
        ),
        { numRuns: 200 },
      );
      assert.equal(await titles(parts, '!!'), []);
    }),
  );
  check('by words, prefixes, and any piece of text without word spaces', () =>
    withTitles([...FOUND.map(([, title]) => title), 'Other'], async (parts) => {
      for (const [what, title, query] of FOUND) assert.ok((await titles(parts, query)).includes(title), what);
      for (const query of ['alking', '人巨', '進人', 'epeee', 'か'])
        assert.equal(await titles(parts, query), [], query);
    }),
  );
  check('titles rank before other text', () =>
    withTitles(['Shelf', 'Nothing of it', 'Other'], async (parts) => {
      assert.is((await titles(parts, 'shelf'))[0], 'Shelf');
      assert.is((await titles(parts, 'shelf')).length, 3);
      assert.equal(await names(parts, 'ann 冒'), ['Shelf']);
    }),
  );
});

block('search: changes', (check) => {
  const run = (parts: Shelved, sql: string): Promise<number> =>
    parts.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));
  check('titles, files, facts, tags and series are found by their current text only', () =>
    withTitles(['Before', 'Other'], async (parts) => {
      await run(parts, "UPDATE book SET title = 'After' WHERE title = 'Before'");
      assert.equal(
        [await titles(parts, 'after'), (await titles(parts, 'before')).length],
        [['After'], 1],
        'the file still has that name',
      );
      await run(parts, "UPDATE book SET file_name = 'moved.cbz' WHERE title = 'After'");
      assert.equal([await titles(parts, 'moved'), await titles(parts, 'before')], [['After'], []]);
      await run(
        parts,
        `INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at)
         SELECT id, randomblob(16), '{"title":"春子","series":"Haru","authors":[{"name":"Zoë Quill"}]}', 0, 0 FROM book WHERE title = 'After'`,
      );
      for (const given of ['zoe', '春', 'haru']) assert.equal(await titles(parts, given), ['After'], given);
      await run(parts, 'DELETE FROM book_metadata');
      assert.equal(await titles(parts, 'zoe'), []);
      await run(parts, "UPDATE series SET name = 'Renamed'");
      assert.equal([await names(parts, 'renamed'), (await titles(parts, 'renamed')).length], [['Renamed'], 2]);
      assert.equal([await names(parts, 'shelf'), await titles(parts, 'shelf')], [[], []]);
      await run(parts, "INSERT INTO book_tag SELECT id, 1 FROM book WHERE title = 'Other'");
      assert.equal(await titles(parts, 'action'), ['Other']);
      await run(parts, 'DELETE FROM tag');
      assert.equal(await titles(parts, 'action'), []);
      await run(parts, "DELETE FROM book WHERE title = 'Other'");
      assert.equal(await titles(parts, 'other'), []);
      await run(parts, 'DELETE FROM library');
      assert.equal([await titles(parts, 'after'), await names(parts, 'renamed')], [[], []]);
    }),
  );
  check('a series is found by its current other titles', () =>
    withTitles(['One'], async (parts) => {
      const add = `INSERT INTO series_title (uuid, series_id, label, title, created_at, updated_at) SELECT randomblob(16), id, 'x',`;
      await run(parts, `${add} 'Attack on Titan', 0, 0 FROM series`);
      await run(parts, `${add} '進撃の巨人', 0, 0 FROM series`);
      for (const query of ['titan att', '巨人', 'shelf 撃', 'ann titan'])
        assert.equal(await names(parts, query), ['Shelf'], query);
      await run(parts, `${add} '外伝', 0, 0 FROM series`);
      assert.equal(await names(parts, '人外'), [], 'a piece is one of one title');
      await run(parts, "UPDATE series SET name = 'Renamed'");
      assert.equal([await names(parts, 'titan'), await names(parts, 'shelf')], [['Renamed'], []]);
      await run(parts, "UPDATE series_title SET title = 'Other' WHERE title LIKE 'Attack%'");
      assert.equal([await names(parts, 'titan'), await names(parts, 'other')], [[], ['Renamed']]);
      await run(parts, 'DELETE FROM series_title');
      assert.equal([await names(parts, 'other'), await names(parts, '巨人')], [[], []]);
      assert.equal(await names(parts, 'renamed'), ['Renamed']);
    }),
  );
  check('a rolled-back change is not indexed', () =>
    withTitles(['Before'], async (parts) => {
      const failing = parts.db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run("UPDATE book SET title = 'Never'");
        throw new Error('no');
      });
      await thrownBy(() => failing);
      assert.equal([await titles(parts, 'never'), await titles(parts, 'before')], [[], ['Before']]);
    }),
  );
});

block('search: filters that use an index indirectly', (check) => {
  const filtered = async (parts: Shelved, condition: unknown): Promise<string[]> => {
    const order = { sort: 'title', descending: false } as const;
    return (await listBooks(parts, unrestricted(1), { condition, order, window: WINDOW })).items.map(
      ({ title }) => title,
    );
  };
  check('a title that has all trigrams of a piece, but not the piece, is not found', () =>
    withTitles(['abcd bcde', 'xabcdey'], async (parts) => {
      assert.equal(await filtered(parts, { title: { operator: 'contains', value: 'ABCDE' } }), ['xabcdey']);
      assert.equal(await filtered(parts, { title: { operator: 'beginsWith', value: 'abcde' } }), []);
      assert.equal(await filtered(parts, { title: { operator: 'endsWith', value: 'bcde' } }), ['abcd bcde']);
    }),
  );
  check('in capitals a sharp s is two letters, in titles and in names of series', () =>
    withTitles(['Straße', 'Other'], async (parts) => {
      for (const operator of ['is', 'contains', 'beginsWith', 'endsWith'])
        assert.equal(await filtered(parts, { title: { operator, value: 'STRASSE' } }), ['Straße'], operator);
      assert.equal(await filtered(parts, { title: { operator: 'is', value: 'straße' } }), ['Straße']);
    }),
  );
  check('a piece of a path may reach from a folder into a name', () =>
    withTitles(['One', 'Two'], async (parts) => {
      const at = (operator: string, value: string) => filtered(parts, { path: { operator, value } });
      assert.equal(await at('contains', '1/One v'), ['One']);
      assert.equal(await at('contains', 'f1/T'), ['Two']);
      assert.equal(await at('contains', 'root1/f'), ['One', 'Two']);
      assert.equal(await at('contains', 'wo v1'), ['Two']);
      assert.equal(await at('beginsWith', '/root1/f1/O'), ['One']);
      assert.equal(await at('beginsWith', '/root1'), ['One', 'Two']);
      assert.equal(await at('endsWith', '1/Two v1.cbz'), ['Two']);
      assert.equal(await at('endsWith', 'v0.cbz'), ['One']);
      assert.equal(await at('is', '/root1/f1/One v0.cbz'), ['One']);
      assert.equal(await at('is', '/root1/f1/one v0.cbz'), [], 'case counts in paths');
      assert.equal(await at('isNot', '/root1/f1/One v0.cbz'), ['Two']);
    }),
  );
});
