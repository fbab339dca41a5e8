// The effective metadata of a series: what its books say in reading order, what is locked, cleared or not fully known.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type SeriesSources, type SeriesValues, settleSeries } from '../../core/catalog/settle-series.js';
import { purgeDeleted } from '../../core/scan/purge.js';
import { SYSTEM } from '../../core/store/feed.js';
import { writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { comicInfo, type Shelf, withShelf } from './told-shelf.js';

const NOTHING: SeriesValues = {
  summary: null,
  publisher: null,
  imprint: null,
  year: null,
  status: null,
  language: null,
  ageRating: null,
  readingDirection: null,
  totalVolumeCount: null,
  authors: null,
  links: null,
};
const SILENT: SeriesSources = {
  said: [],
  isComplete: true,
  ratings: [],
  publisher: null,
  story: null,
  authors: null,
  bookCount: 0,
  directions: [],
};

const settle = (
  sources: Partial<SeriesSources>,
  present: Partial<SeriesValues> = {},
  locks: readonly string[] = [],
): SeriesValues =>
  settleSeries({ ...SILENT, ...sources }, { values: { ...NOTHING, ...present }, locks: new Set(locks), cleared: {} })
    .values;

const rules = (check: Check): void => {
  check('the first book that says something wins; locked fields and fields nothing names stay', () => {
    const said = [{ imprint: 'One' }, { imprint: 'Two', year: 1984, status: 'ended' as const }];
    const found = settle({ said }, { imprint: 'Old', status: 'hiatus', language: 'en' }, ['status']);
    assert.equal([found.imprint, found.year, found.status, found.language], ['One', 1984, 'hiatus', 'en']);
  });
  check('a series has the rating of its highest-rated book, whether that book is still there or not', () => {
    assert.is(settle({ ratings: [6, 18, 1.5, null] }, { ageRating: 12 }).ageRating, 18);
    assert.is(settle({ ratings: [6] }, { ageRating: 18 }).ageRating, 6);
    assert.is(settle({ said: [{ ageRating: 6 }], ratings: [6, 18] }).ageRating, 18);
    assert.is(settle({}, { ageRating: 18 }).ageRating, null);
    assert.is(settle({ ratings: [6] }, { ageRating: 18 }, ['ageRating']).ageRating, 18);
  });
  check('while a book may say more than is stored nothing is overwritten, and no rating falls', () => {
    const said = [{ imprint: 'New', year: 1984, ageRating: 6 }];
    const found = settle({ said, ratings: [6], isComplete: false }, { imprint: 'Old', ageRating: 18 });
    assert.equal([found.imprint, found.year, found.ageRating], ['Old', 1984, 18]);
  });
  check('the story of a book is taken whole, unless a field of it is locked or the series has one of its own', () => {
    const story = { summary: 'One.', year: null, publisher: 'House' };
    const seen = ({ summary, year, publisher }: SeriesValues): unknown[] => [summary, year, publisher];
    assert.equal(seen(settle({ story }, { summary: 'Old.', year: 1999 })), ['One.', null, 'House']);
    assert.equal(seen(settle({ story, publisher: 'Folder' })), ['One.', null, 'Folder']);
    assert.equal(seen(settle({ story }, {}, ['year'])), [null, null, null]);
    assert.equal(seen(settle({ story, said: [{ year: 1984 }] })), [null, 1984, null]);
    assert.equal(seen(settle({ story, isComplete: false }, { year: 1999 })), [null, 1999, 'House']);
  });
  check('links keep their ids while they do not change', () => {
    const links = [{ source: 'a', url: 'https://a.example' }];
    const present = [{ id: '1', source: 'a', url: 'https://a.example' }];
    assert.is(settle({ said: [{ links }] }, { links: present }).links, present);
    assert.equal(settle({ said: [{ links: [] }, { links }] }).links, links);
  });
};

const seriesOf = async (shelf: Shelf): Promise<Record<string, unknown>> =>
  shelf.api('GET', `/series/${await shelf.seriesId('Alpha')}/metadata`);

const shelves = (check: Check): void => {
  check('an unlocked field of a series shows at once what its books say, whichever was read last', () =>
    withShelf(async (shelf) => {
      await shelf.analyse('A2.cbz', { publisher: 'Second House', imprint: 'Two' });
      await shelf.analyse('A1.cbz', { publisher: 'First House' });
      const at = `/series/${await shelf.seriesId('Alpha')}/metadata`;
      await shelf.api('PATCH', at, { publisher: 'Mine', imprint: 'Mine' });
      await shelf.analyse('A1.cbz', { publisher: 'First House' });
      assert.equal([(await seriesOf(shelf)).publisher, (await seriesOf(shelf)).imprint], ['Mine', 'Mine']);
      await shelf.api('PUT', `${at}/locks`, { publisher: false, imprint: false });
      assert.equal([(await seriesOf(shelf)).publisher, (await seriesOf(shelf)).imprint], ['First House', 'Two']);
    }),
  );
  check('a cleared field of a series stays empty until its books say something new, or it is unlocked', () =>
    withShelf(async (shelf) => {
      const imprint = async (): Promise<unknown> => (await seriesOf(shelf)).imprint;
      const at = `/series/${await shelf.seriesId('Alpha')}/metadata`;
      await shelf.analyse('A1.cbz', { imprint: 'One' });
      await shelf.api('PATCH', at, { imprint: null });
      await shelf.analyse('A1.cbz', { imprint: 'One', year: 1984 });
      assert.is(await imprint(), null);
      for (const lock of [true, false]) await shelf.api('PUT', `${at}/locks`, { imprint: lock });
      assert.is(await imprint(), 'One');
      await shelf.api('PATCH', at, { imprint: null });
      await shelf.analyse('A1.cbz', { imprint: 'New' });
      assert.is(await imprint(), 'New');
    }),
  );
  check('the rating of a series falls only when the file that gave it says something else, not when it goes', () =>
    withShelf(async (shelf) => {
      const rating = async (name = 'Alpha'): Promise<unknown> =>
        (await shelf.api('GET', `/series/${await shelf.seriesId(name)}/metadata`)).ageRating;
      const write = (folder: string, ageRating: string): void =>
        writeBook(shelf.path(folder, 'A4.cbz'), 1, 'a4', comicInfo({ Title: 'Rated', AgeRating: ageRating }));
      write('Alpha', 'Adults Only 18+');
      writeBook(shelf.path('Alpha', 'A5.cbz'), 1, 'a5', comicInfo({ Title: 'Teen', AgeRating: 'Teen' }));
      await shelf.scan();
      assert.is(await rating(), 18);
      renameSync(shelf.path('Alpha', 'A4.cbz'), shelf.path('A4.away'));
      await shelf.scan();
      assert.is(await rating(), 18);
      renameSync(shelf.path('A4.away'), shelf.path('Alpha', 'A4.cbz'));
      await shelf.scan();
      write('Alpha', 'Everyone 10+');
      await shelf.scan();
      assert.is(await rating(), 13);
      write('Alpha', 'Adults Only 18+');
      await shelf.scan();
      renameSync(shelf.path('Alpha', 'A4.cbz'), shelf.path('Beta', 'A4.cbz'));
      await shelf.scan();
      assert.equal([await rating(), await rating('Beta')], [18, 18]);
      await shelf.api('DELETE', `/series/${await shelf.seriesId('Alpha')}/metadata`);
      assert.is(await rating(), 13);
    }),
  );
  check('a damaged file, a file that is no book and a purge leave the rating of a series as it was', () =>
    withShelf(async (shelf) => {
      const rating = async (): Promise<unknown> => (await seriesOf(shelf)).ageRating;
      writeBook(shelf.path('Alpha', 'A4.cbz'), 1, 'a4', comicInfo({ Title: 'Rated', AgeRating: 'R18+' }));
      await shelf.scan();
      const whole = readFileSync(shelf.path('Alpha', 'A4.cbz'));
      const metadata = whole.indexOf('ComicInfo.xml');
      const damages = [
        whole.subarray(0, metadata - 30), // its page can still be read
        Buffer.from(whole).fill(0, metadata + 13, metadata + 60), // a stretch that the disk lost
        whole.subarray(0, 100),
        Buffer.alloc(500, 7),
        Buffer.alloc(0),
      ];
      for (const bytes of damages) {
        writeFileSync(shelf.path('Alpha', 'A4.cbz'), bytes);
        await shelf.scan();
        assert.is(await rating(), 18);
      }
      rmSync(shelf.path('Alpha', 'A4.cbz'));
      await shelf.scan();
      const [before] = await shelf.temp.app.db.all('SELECT count(*) AS books FROM book');
      await purgeDeleted(shelf.temp.app.db, SYSTEM, { libraryKey: 1 });
      const [after] = await shelf.temp.app.db.all('SELECT count(*) + 1 AS books FROM book');
      assert.equal([after, await rating()], [before, 18]);
    }),
  );
  check('a change to a book by a user reaches its series at once, not with the next analysis', () =>
    withShelf(async (shelf) => {
      const summary = async (): Promise<unknown> => (await seriesOf(shelf)).summary;
      const at = `/books/${await shelf.bookId('A1.cbz')}/metadata`;
      assert.is(await summary(), 'Old.');
      await shelf.api('PATCH', at, { summary: 'Mine.' });
      const now = await summary();
      await shelf.analyse('A2.cbz', {});
      assert.equal([now, await summary()], ['Mine.', 'Mine.']);
      await shelf.api('PUT', `${at}/locks`, { summaryLock: false });
      assert.is(await summary(), 'Old.');
    }),
  );
  check('neither a reset nor a replacement without a rating removes the rating its books give a series', () =>
    withShelf(async (shelf) => {
      const rating = async (): Promise<unknown> => (await seriesOf(shelf)).ageRating;
      const at = `/series/${await shelf.seriesId('Alpha')}/metadata`;
      await shelf.analyse('A1.cbz', { ageRating: 18 });
      await shelf.api('PUT', at, { imprint: 'Other' });
      assert.is(await rating(), 18);
      await shelf.api('DELETE', at);
      assert.is(await rating(), 18);
      await shelf.api('PATCH', at, { ageRating: 6 });
      await shelf.api('DELETE', at);
      assert.is(await rating(), 18);
    }),
  );
};

block('settle a series: the rules', rules);
block('settle a series: on a shelf', shelves);
