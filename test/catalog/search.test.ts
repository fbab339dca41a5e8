// Full text: what is folded, what each piece finds, that any input is safe, and that the index follows every change.

import fc from 'fast-check';
import { listBooks } from '../../core/catalog/list-books.js';
import { matchOf } from '../../core/catalog/search/words.js';
import { AppError } from '../../core/model/errors.js';
import { searchKey, searchRuns } from '../../core/model/search-key.js';
import { unrestricted } from '../../core/model/viewer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block, thrownBy } from '../kit.js';
import type { Shelved } from './random-shelf.js';
import { names, titles, WINDOW, withTitles } from './searched.js';

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
    assert.equal(
      [matchOf(' \n'), matchOf(null), matchOf('!?')],
      [null, null, { whole: '', begun: '', all: '', anyOf: [] }],
    );
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
      await run(parts, "INSERT INTO book_genre SELECT id, 3 FROM book WHERE title = 'Other'");
      await run(parts, 'INSERT INTO series_genre SELECT id, 3 FROM series');
      assert.equal([await titles(parts, 'comedie'), await names(parts, 'comedie')], [['Other'], ['Renamed']]);
      await run(parts, 'DELETE FROM genre');
      assert.equal([await titles(parts, 'comedie'), await names(parts, 'comedie')], [[], []]);
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
