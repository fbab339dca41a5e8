// Covers that people upload: what is stored, where it is shown, and what becomes of it.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASPECTS, type Batch } from '../../core/store/feed.js';
import { until } from '../app.js';
import { image } from '../form.js';
import { assert, block } from '../kit.js';
import { type CoverShelf, coverShelf, sizeOf } from './cover-shelf.js';

const PORTRAIT = image('jpeg-exif-8-portrait.jpg');
const SMALL = image('png-palette-alpha.png');
const OTHER = image('webp-alpha.webp');

let shelf: CoverShelf;
let book = '';
let second = '';

/** The size at which a cover is shown. */
const thumbnailOf = ({ width, height }: { readonly width: number; readonly height: number }): string => {
  const scale = Math.min(1, 400 / Math.max(width, height));
  return `${Math.round(width * scale)}x${Math.round(height * scale)}`;
};

const covers = async (path: string) => (await shelf.api('GET', `${path}/covers`)).json;
const thumbnail = (path: string, headers: Record<string, string> = {}) =>
  shelf.api('GET', `${path}/thumbnail`, { headers });
const tagOf = async (path: string): Promise<string> => (await thumbnail(path)).header('etag') ?? '';

const pathsOfAll = async (): Promise<Readonly<Record<string, string>>> => {
  const [collectionId, readListId] = await shelf.lists(['Ants'], [book]);
  return {
    bookId: `/books/${book}`,
    seriesId: `/series/${shelf.series.Ants}`,
    collectionId,
    readListId,
  };
};

block(
  'uploaded covers',
  (check) => {
    check(
      'an upload is answered with the cover, shown at once and listed, for a book, a series and lists',
      async () => {
        for (const [field, path] of Object.entries(await pathsOfAll())) {
          const before = await thumbnail(path);
          assert.is(sizeOf(before), '1x1', path);
          const made = await shelf.upload(path, SMALL);
          assert.is(made.status, 200, made.bytes.toString());
          assert.is(path.endsWith(made.json[field]), true);
          assert.is(made.json.isSelected, true);
          assert.is(made.json.source, 'custom');
          const after = await thumbnail(path, { 'if-none-match': before.header('etag') ?? '' });
          assert.is(sizeOf(after), thumbnailOf(made.json), 'the old ETag no longer holds');
          assert.is((await thumbnail(path, { 'if-none-match': after.header('etag') ?? '' })).status, 304);
          assert.equal(await covers(path), { covers: [made.json], source: 'custom' });
          await shelf.api('DELETE', `${path}/covers/${made.json.id}`);
          assert.is(await tagOf(path), before.header('etag'), 'without it, everything is as before');
        }
      },
    );
    check('each field name that clients use is understood', async () => {
      for (const field of ['file', 'cover', 'image']) {
        const made = await shelf.upload(`/books/${book}`, SMALL, field);
        assert.is(made.status, 200, field);
        await shelf.api('DELETE', `/books/${book}/covers/${made.json.id}`);
      }
    });
    check(
      'the stored image is a JPEG of ours: upright, of limited size, without what else was in the file',
      async () => {
        const hidden = Buffer.from('<script>alert(1)</script>PK\x03\x04');
        const made = await shelf.upload(`/books/${book}`, Buffer.concat([PORTRAIT, hidden]));
        const stored = readFileSync(join(shelf.temp.folder, 'data', made.json.path));
        assert.is(stored.readUInt16BE(0), 0xffd8);
        assert.is(stored.includes('<script>'), false);
        assert.is(stored.includes('Exif'), false);
        assert.ok(made.json.height > made.json.width, 'turned as the camera says');
        const large = await shelf.upload(`/books/${book}`, image('jpeg-baseline.jpg'));
        assert.ok(large.json.width <= 2000 && large.json.height <= 2000);
        assert.is(statSync(join(shelf.temp.folder, 'data', made.json.path)).mode & 0o777, 0o600);
        assert.is(statSync(join(shelf.temp.folder, 'data', 'uploads')).mode & 0o777, 0o700);
        for (const { id } of (await covers(`/books/${book}`)).covers)
          await shelf.api('DELETE', `/books/${book}/covers/${id}`);
        assert.equal(shelf.files(), []);
      },
    );
    check('the image is sandboxed, has an ETag and answers 304', async () => {
      const made = await shelf.upload(`/books/${book}`, SMALL);
      const path = `/books/${book}/covers/${made.json.id}/image`;
      const answer = await shelf.api('GET', path);
      assert.is(sizeOf(answer), `${made.json.width}x${made.json.height}`);
      assert.is(answer.header('content-type'), 'image/jpeg');
      assert.match(
        answer.header('content-security-policy') ?? '',
        /default-src 'none'; style-src 'unsafe-inline'; sandbox/,
      );
      assert.is(answer.header('x-content-type-options'), 'nosniff');
      const tag = answer.header('etag') ?? '';
      assert.is((await shelf.api('GET', path, { headers: { 'if-none-match': tag } })).status, 304);
      assert.is((await shelf.api('GET', path, { headers: { 'if-match': '"other"' } })).status, 412);
      await shelf.api('DELETE', `/books/${book}/covers/${made.json.id}`);
      assert.is((await shelf.api('GET', path)).status, 404);
    });
    check('a cover of one book is none of another, and unknown ones are not there', async () => {
      const made = await shelf.upload(`/books/${book}`, SMALL);
      for (const [method, rest] of [
        ['GET', '/image'],
        ['PUT', '/select'],
        ['DELETE', ''],
      ] as const)
        for (const path of [`/books/${second}`, `/series/${shelf.series.Ants}`])
          assert.is((await shelf.api(method, `${path}/covers/${made.json.id}${rest}`)).status, 404, path);
      assert.is((await covers(`/books/${book}`)).covers.length, 1);
      await shelf.api('DELETE', `/books/${book}/covers/${made.json.id}`);
    });
    check('another one is selected, all are reset, and the one that is shown is deleted', async () => {
      const path = `/books/${book}`;
      const first = (await shelf.upload(path, SMALL)).json;
      const last = (await shelf.upload(path, OTHER)).json;
      const tagOfLast = await tagOf(path);
      const selected = await shelf.api('PUT', `${path}/covers/${first.id}/select`);
      assert.is(selected.json.isSelected, true);
      assert.is.not(await tagOf(path), tagOfLast);
      assert.equal(
        (await covers(path)).covers.map(({ isSelected }: { isSelected: boolean }) => isSelected),
        [true, false],
      );
      assert.is((await shelf.api('DELETE', `${path}/covers/selected`)).status, 204);
      assert.is(sizeOf(await thumbnail(path)), '1x1');
      assert.is((await covers(path)).source, 'default');
      assert.is(
        (await shelf.api('PATCH', `${path}/cover/source`, { body: { source: 'custom' } })).json.source,
        'custom',
      );
      assert.is(await tagOf(path), tagOfLast, 'the newest one');
      await shelf.api('PUT', `${path}/covers/${first.id}/select`);
      await shelf.api('PATCH', `${path}/cover/source`, { body: { source: 'custom' } });
      assert.is(await tagOf(path), tagOfLast, 'also where an older one is selected');
      assert.is((await shelf.api('DELETE', `${path}/covers/${last.id}`)).status, 204);
      assert.is(sizeOf(await thumbnail(path)), '1x1', 'not the other one, which nobody selected');
      await shelf.api('DELETE', `${path}/covers/${first.id}`);
      assert.is((await shelf.api('PATCH', `${path}/cover/source`, { body: { source: 'custom' } })).status, 404);
    });
    check(
      'the cover of a book represents its series, library and lists, and updatedAt tells of a new one',
      async () => {
        const all = await pathsOfAll();
        const before = (await shelf.api('GET', `/books/${book}`)).json.updatedAt;
        shelf.temp.advance(1000);
        const made = (await shelf.upload(`/books/${book}`, SMALL)).json;
        for (const path of [...Object.values(all), `/libraries/${shelf.libraryId}`])
          assert.is(sizeOf(await thumbnail(path)), thumbnailOf(made), path);
        assert.is.not((await shelf.api('GET', `/books/${book}`)).json.updatedAt, before);
        const ofSeries = (await shelf.upload(`/series/${shelf.series.Ants}`, OTHER)).json;
        for (const path of [all.seriesId ?? '', all.collectionId ?? '', `/libraries/${shelf.libraryId}`])
          assert.is(sizeOf(await thumbnail(path)), thumbnailOf(ofSeries), path);
        assert.is(sizeOf(await thumbnail(all.readListId ?? '')), thumbnailOf(made), 'a list of books');
        await shelf.api('DELETE', `/books/${book}/covers/${made.id}`);
        await shelf.api('DELETE', `/series/${shelf.series.Ants}/covers/${ofSeries.id}`);
      },
    );
    check('a book that cannot be read shows the cover that was uploaded for it', async () => {
      mkdirSync(join(shelf.temp.shelf, 'Bad'));
      writeFileSync(join(shelf.temp.shelf, 'Bad', 'Bad 1.cbz'), 'no archive');
      await shelf.api('POST', `/libraries/${shelf.libraryId}/scan`);
      await until('the scan ends', () => shelf.temp.app.scans.active().length === 0);
      const { data } = (await shelf.api('GET', '/books?pageSize=100')).json;
      const { id } = data.find(({ path }: { path: string }) => path.endsWith('Bad 1.cbz'));
      const card = await thumbnail(`/books/${id}`, { accept: 'image/svg+xml' });
      assert.is(card.header('content-type'), 'image/svg+xml', 'a title card');
      const made = (await shelf.upload(`/books/${id}`, SMALL)).json;
      assert.is(sizeOf(await thumbnail(`/books/${id}`)), thumbnailOf(made));
    });
    check('each change is reported as one of the cover', async () => {
      const told: string[] = [];
      shelf.temp.app.db.feed.listen({
        onBatch: ({ reports }: Batch) => {
          for (const { kind, aspects, change, keys } of reports)
            if (change === 'updated' && (aspects & ASPECTS.cover) !== 0) told.push(`${kind} ${keys.length}`);
        },
        forget: () => undefined,
      });
      const path = `/series/${shelf.series.Bees}`;
      const made = (await shelf.upload(path, SMALL)).json;
      await shelf.api('DELETE', `${path}/covers/selected`);
      await shelf.api('PUT', `${path}/covers/${made.id}/select`);
      await shelf.api('PATCH', `${path}/cover/source`, { body: { source: 'default' } });
      await shelf.api('DELETE', `${path}/covers/${made.id}`);
      assert.equal(told, Array(5).fill('series 1'));
    });
    check('a cover that is made of pages is reported only where it is the one that is shown', async () => {
      const { app } = shelf.temp;
      const path = `/series/${shelf.series.Bees}`;
      const told = async (): Promise<string[]> => {
        const kinds: string[] = [];
        const isOfCover = ({ kind, aspects, keys }: Batch['reports'][number]): boolean =>
          kind !== 'task' && (aspects & ASPECTS.cover) !== 0 && keys.length > 0;
        app.db.feed.listen({
          onBatch: ({ reports }: Batch) => kinds.push(...reports.filter(isOfCover).map(({ kind }) => kind)),
          forget: () => undefined,
        });
        const { json } = await shelf.api('POST', `${path}/thumbnail/generate`, { body: { force: true } });
        await until(
          'it ends',
          async () => (await shelf.api('GET', `/tasks/${json.taskId}`)).json.status === 'completed',
        );
        return kinds;
      };
      assert.equal(await told(), ['book', 'series']);
      const made = (await shelf.upload(path, SMALL)).json;
      assert.equal(await told(), ['book']);
      await shelf.api('DELETE', `${path}/covers/${made.id}`);
      const [first] = await shelf.books('Bees');
      const ofBook = (await shelf.upload(`/books/${first}`, SMALL)).json;
      assert.equal(await told(), []);
      await shelf.api('DELETE', `/books/${first}/covers/${ofBook.id}`);
    });
    check('an image that is missing on disk is none: the cover from the file is shown', async () => {
      const path = `/books/${book}`;
      const made = (await shelf.upload(path, SMALL)).json;
      rmSync(join(shelf.temp.folder, 'data', made.path));
      assert.is(sizeOf(await thumbnail(path)), '1x1');
      assert.is((await shelf.api('GET', `${path}/covers/${made.id}/image`)).status, 404);
      assert.is((await shelf.api('DELETE', `${path}/covers/${made.id}`)).status, 204);
    });
    check('a file that cannot be removed fails neither its own deletion nor that of other covers', async () => {
      const path = `/books/${book}`;
      const [stuck, other] = [(await shelf.upload(path, SMALL)).json, (await shelf.upload(path, OTHER)).json];
      const file = join(shelf.temp.folder, 'data', stuck.path);
      rmSync(file);
      mkdirSync(file);
      assert.is((await shelf.api('DELETE', `${path}/covers/${stuck.id}`)).status, 204);
      assert.is((await shelf.api('DELETE', `${path}/covers/${other.id}`)).status, 204);
      assert.equal(
        [shelf.files().includes(`${stuck.id}.jpg`), shelf.files().includes(`${other.id}.jpg`)],
        [true, false],
      );
      assert.is(shelf.temp.faults.splice(0).length, 1);
      rmSync(file, { recursive: true });
      await shelf.temp.app.uploadedCovers.tidy();
      assert.equal(await shelf.temp.app.db.all('SELECT * FROM gone_cover'), []);
    });
    check('images go with their book, series or list, and what a crash left goes after a month', async () => {
      const all = await pathsOfAll();
      const before = shelf.files().length;
      for (const path of Object.values(all)) await shelf.upload(path, SMALL);
      assert.is(shelf.files().length, before + 4);
      await shelf.api('DELETE', all.collectionId ?? '');
      await shelf.api('DELETE', all.readListId ?? '');
      await shelf.temp.app.uploadedCovers.tidy();
      assert.is(shelf.files().length, before + 2);
      const uploads = join(shelf.temp.folder, 'data', 'uploads');
      mkdirSync(join(uploads, 'a folder'));
      const left = '01890000-0000-7000-8000-00000000000a.jpg';
      for (const name of [left, `${left}.tmp`, 'note.txt']) writeFileSync(join(uploads, name), 'x');
      await shelf.temp.app.uploadedCovers.sweep();
      assert.is(shelf.files().length, before + 6, 'young files are kept');
      for (const name of shelf.files()) utimesSync(join(uploads, name), 0, 0);
      assert.equal(await shelf.temp.app.uploadedCovers.sweep(), { files: 2, bytes: 2 });
      assert.is(shelf.files().length, before + 4, 'covers, and what is none of ours');
      await shelf.api('DELETE', `/libraries/${shelf.libraryId}`);
      await until('its rows are gone', async () => (await shelf.temp.app.db.all('SELECT 1 FROM library')).length === 0);
      await shelf.temp.app.uploadedCovers.tidy();
      assert.equal([...shelf.files()].sort(), ['a folder', 'note.txt']);
    });
    check('no fault was reported', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await coverShelf();
      [book = '', second = ''] = await shelf.books('Ants');
    },
    after: () => shelf.temp.close(),
  },
);
