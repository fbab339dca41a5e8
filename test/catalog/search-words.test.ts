// What each kind of search finds and misses, in the index and in the slow model of it.

import { listBooks } from '../../core/catalog/list-books.js';
import { unrestricted } from '../../core/model/viewer.js';
import { assert, block } from '../kit.js';
import { fill, modelOf, withCatalog } from './random-shelf.js';
import { finds } from './search-oracle.js';
import { BOOK, names, ORDER, SERIES, titles, withTitles } from './searched.js';

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
  ['words in one piece that a hyphen joins', 'Spider-Man Blue', 'spiderman'],
  ['words apart that a hyphen joins', 'Spider-Man Blue', 'spider man'],
  ['words that a hyphen joins', 'Spiderman Blue', 'spider-man'],
  ['words apart', 'Spiderman Blue', 'spider man'],
  ['words in one piece', 'Spider Man Blue', 'spiderman'],
  ['a hyphen that is not there', 'Spider Man Blue', 'spider-man'],
  ['the beginning of joined words', 'Spider-Man Blue', 'spiderm'],
  ['one letter before a hyphen', 'X-Men', 'xmen'],
  ['a part of three words', 'One-Punch Man', 'onepunch'],
  ['three words in one piece', 'One-Punch Man', 'onepunchman'],
  ['two hyphens', 'Yu-Gi-Oh!', 'yugioh'],
  ['an apostrophe', 'Don’t Call Me', 'dont call me'],
  ['another apostrophe', 'Don’t Call Me', "don't"],
  ['an apostrophe in a name', 'O’Brien', 'obrien'],
  ['points between letters', 'S.H.I.E.L.D.', 'shield'],
  ['letters in one piece', 'Shield', 's.h.i.e.l.d.'],
  ['a middle dot', 'Wall·E', 'walle'],
  ['an ampersand', 'AT&T Story', 'att story'],
  ['a name with a sign at its end', 'K-ON!', 'kon'],
  ['that name as it is', 'K-ON!', 'K-ON!'],
  ['a star', 'Love★Com', 'lovecom'],
  ['joined words of another script', 'Кот-баюн', 'котбаюн'],
  ['a number with zeros', 'Captain Comet 005', 'captain comet 5'],
  ['a number with a sign', 'Captain Comet #5', 'captain comet #5'],
  ['a number without zeros', 'Captain Comet #5', 'comet 005'],
  ['a number with zeros after a letter', 'Berserk v003 c012.5', 'v3 c12.5'],
  ['the beginning of a number', 'Captain Comet 50', '5'],
  ['the beginning of a number of several digits next to a word', 'Captain Comet 123', 'comet 12'],
  ['zeros as they are', 'Agent 007', '007'],
  ['a symbol alone', 'Happy 😀 days', '😀'],
  ['a symbol next to words that the title has', 'Smile again', 'smile 😀'],
  ['a flag', 'Tour 🇯🇵', '🇯🇵'],
  ['inside a word', 'L’Étoile filante', 'toile'],
  ['three letters inside a word', 'Étoiles', 'oil'],
  ['inside a word with an accent', 'Yūrei Deco', 'ūrei'],
  ['inside a word of another script', 'Преступление', 'ступ'],
  ['the end of a word', 'Étoile', 'oile'],
  ['a missing letter', 'Höllenfeuer', 'hollenfeur'],
  ['one letter of two', 'Plumpudding', 'plumpuding'],
  ['another letter at the beginning of a word', 'Detective', 'detektiv'],
  ['a letter too many', 'Dragon', 'dragoon'],
  ['another letter', 'Dragon', 'drakon'],
  ['another first letter', 'Dragon', 'fragon'],
  ['another last letter', 'Dragon', 'dragom'],
  ['two letters in the other order', 'Dragon', 'dargon'],
  ['two letters in the middle in the other order', 'Dragon', 'drgaon'],
  ['an error in another script', 'Преступление', 'престубление'],
  ['an error in the joined form', 'Spider-Man', 'spidermen'],
  ['an error next to a right word', 'Night Owl 03', 'nihgt owl 3'],
];

/** Titles that a search must not find. */
const MISSED: readonly (readonly [title: string, query: string])[] = [
  ['Captain Comet 012.5', 'captain comet 5'],
  ['Captain Comet 12.5', 'comet 05'],
  ['Captain Comet 50', 'comet 005'],
  ['Captain Comet 50', 'comet 5'],
  ['Berserk c10.5', 'berserk c1'],
  ['進撃の巨人 12', '巨人 1'],
  ['The Return', 'there'],
  ['Happy 😁 days', '😀'],
  ['Man of the Spider', 'spiderman'],
  ['Spider and Man', 'spider-man'],
  ['Étoile', 'to'],
  ['Bark', 'dark'],
  ['Dragon', 'drakom'],
  ['Volume 4567', '567'],
];

block('search: words', (check) => {
  check('by words, prefixes, and any piece of text without word spaces', () =>
    withTitles([...FOUND.map(([, title]) => title), 'Other'], async (parts) => {
      for (const [what, title, query] of FOUND) assert.ok((await titles(parts, query)).includes(title), what);
      for (const [title, query] of FOUND.map(([, ...pair]) => pair))
        assert.ok(finds(query, [title]), `the model misses ${query}`);
      for (const query of ['人巨', '進人', 'epeeee', 'か']) assert.equal(await titles(parts, query), [], query);
    }),
  );
  check('what only looks similar is not found', () =>
    withTitles(
      MISSED.map(([title]) => title),
      async (parts) => {
        for (const [title, query] of MISSED) {
          assert.not.ok((await titles(parts, query)).includes(title), `${query}: ${title}`);
          assert.not.ok(finds(query, [title]), `the model finds ${title} by ${query}`);
        }
      },
    ),
  );
  check('a whole word ranks before the beginning of one, and that before its inside and errors', () =>
    withTitles(['CBR', 'C++ Manga', 'Monstre', 'Supermonsters', 'Monsters', 'Monster Musume', 'Cat'], async (parts) => {
      assert.is((await titles(parts, 'c++'))[0], 'C++ Manga');
      assert.equal(await titles(parts, 'monster'), ['Monster Musume', 'Monsters', 'Monstre', 'Supermonsters']);
    }),
  );
  check('pages of any size are parts of the whole list, also where whole words, beginnings and other hits meet', () => {
    const found = ['Monster Musume', 'My monster', 'Monsters', 'Monstery', 'Imonster', 'Monstre', 'Supermonsters'];
    return withTitles([...found, 'Mobster tales', 'Gulls'].reverse(), async (parts) => {
      const all = await titles(parts, 'monster');
      assert.equal(all.slice(0, 2).sort(), ['Monster Musume', 'My monster']);
      assert.equal(all.slice(2, 4).sort(), ['Monsters', 'Monstery']);
      assert.equal(all.slice(4), ['Imonster', 'Mobster tales', 'Monstre', 'Supermonsters']);
      for (let pageSize = 1; pageSize <= all.length + 1; pageSize += 1) {
        const paged: string[] = [];
        for (let page = 1; page <= Math.ceil(all.length / pageSize) + 1; page += 1) {
          const ask = { fullTextSearch: 'monster', order: ORDER, window: { page, pageSize } };
          const { items, total } = await listBooks(parts, unrestricted(1), ask);
          assert.is(total, all.length);
          paged.push(...items.map(({ title }) => title));
        }
        assert.equal(paged, all, `pages of ${pageSize}`);
      }
    });
  });
  check('publishers, genres and ISBNs find books and series', () =>
    withCatalog(async (parts) => {
      const facts = { isbns: '9780306406157, 080442957X', publisher: 'Kōdansha', genre: null, authors: [] };
      const series = [{ ...SERIES, publisher: 'ÉDITION' as const, genres: ['Comédie'] }];
      const books = [
        { ...BOOK, title: 'One', facts: facts as never, genres: ['冒険'] },
        { ...BOOK, title: 'Two' },
      ];
      await fill(parts.db, modelOf({ series, books }));
      for (const query of [
        ...[
          'kodansha',
          '冒険',
          '9780306406157',
          '978-0-306-40615-7',
          '978 0 306 40615 7',
          '0-306-40615-2',
          'ISBN 0306406152',
        ],
        ...['97803064', '080442957X', '0-8044-2957-x', '978-0-8044-2957-3', 'urn:isbn:9780306406157'],
      ])
        assert.equal(await titles(parts, query), ['One'], query);
      for (const query of ['edition', 'comedie']) assert.equal(await names(parts, query), ['Shelf'], query);
      assert.equal(await titles(parts, '978-0-306-40615-8'), []);
    }),
  );
});
