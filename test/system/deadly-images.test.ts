// Killed in the middle of decoding an image: the next start names it and does not decode it again, until its book is analysed again.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { begunRecord, JOURNAL_BYTES, LARGE_RECORD, slotAt, unfinishedIn } from '../../core/model/decode-journal.js';
import type { AppError } from '../../core/model/errors.js';
import { journalPath } from '../../core/pages/deadly-images.js';
import { FailingPages } from '../../core/pages/failing-pages.js';
import { fixture } from '../../fixtures/index.js';
import { tempApp, until, writeBook } from '../app.js';
import { jsonOf } from '../attack/ask.js';
import { png } from '../attack/files/png.js';
import { startTarget } from '../attack/target.js';
import { assert, block } from '../kit.js';

/** Decoding it takes some seconds, and much memory. */
const LARGE = { width: 12_000, height: 3000, depth: 16 } as const;

const within = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-deadly-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const underWay = (data: string, kind: string): boolean =>
  unfinishedIn(readFileSync(journalPath(data))).some(({ key, isLarge }) => key.startsWith(kind) && isLarge);

block('a process that is killed while it decodes an image', (check) => {
  check('does not decode that page at its next start, names it, and tries again when the book is analysed again', () =>
    within(async (folder) => {
      const [shelf, data] = [join(folder, 'shelf'), join(folder, 'data')];
      writeBook(join(shelf, 'Other', 'Other.cbz'), 2, 'other');
      mkdirSync(join(shelf, 'Series'), { recursive: true });
      const jpeg = readFileSync(fixture('images/jpeg-baseline.jpg'));
      const items = [
        { name: '1.jpg', bytes: jpeg },
        { name: '2.png', bytes: await png(LARGE) },
      ];
      writeFileSync(join(shelf, 'Series', 'Deadly.cbz'), writeZip(items));
      const first = await startTarget('uws', { data, shelves: [shelf] });
      const { id } = await first.bookNamed('Deadly.cbz');
      const lost = first.api(`/books/${id}/pages/2?width=300`);
      await until('the page is being decoded', () => underWay(data, 'page/'));
      await first.kill();
      assert.is((await lost).status, 0);

      const second = await startTarget('uws', { data, shelves: [], token: first.token });
      try {
        assert.match(second.program.printed(), /warn.*while decoding page 2.*Deadly\.cbz/);
        const refused = await second.api(`/books/${id}/pages/2?width=300`);
        assert.equal([refused.status, jsonOf(refused).error], [422, 'CorruptPage']);
        assert.match(jsonOf(refused).message, /stopped while decoding page 2; this is not tried again until the file/);
        const errors = jsonOf(await second.api('/books/errors'));
        assert.equal(errors.errorCounts, { page_extraction: 1 });
        assert.is(errors.groups[0].books[0].book.id, id);
        assert.match(errors.groups[0].books[0].errors[0].message, /while decoding page 2/);
        assert.is((await second.api(`/books/${id}/pages/1?width=30`)).status, 200, 'the other page is shown');
        assert.is((await second.api(`/books/${id}/pages/2`)).status, 200, 'the file itself is sent');
        const retried = await second.api(`/books/${id}/retry`, { method: 'POST', body: {} });
        assert.is(retried.status, 200);
        await until(
          'it is analysed again',
          async () => jsonOf(await second.api('/books/errors')).totalBooksWithErrors === 0,
        );
        const again = await second.api(`/books/${id}/pages/2?width=300`, { deadlineMs: 60_000 });
        assert.is(again.status, 200);
      } finally {
        await second.stop();
      }
    }),
  );
  check('does not decode that cover, of a scan that nobody watches, at its next start', () =>
    within(async (folder) => {
      const [shelf, data] = [join(folder, 'shelf'), join(folder, 'data')];
      writeBook(join(shelf, 'Other', 'Other.cbz'), 2, 'other');
      mkdirSync(join(shelf, 'Series'), { recursive: true });
      writeFileSync(join(shelf, 'Series', 'Deadly.cbz'), writeZip([{ name: '1.png', bytes: await png(LARGE) }]));
      const first = await startTarget('uws', { data, shelves: [shelf] });
      const { id } = await first.bookNamed('Deadly.cbz');
      await until('the cover is being made', () => underWay(data, 'cover/'));
      await first.kill();
      const second = await startTarget('uws', { data, shelves: [], token: first.token });
      try {
        const errors = jsonOf(await second.api('/books/errors'));
        assert.match(JSON.stringify(errors.groups), /while decoding the cover/);
        const cover = await second.api(`/books/${id}/thumbnail`);
        assert.match(cover.header('etag') ?? '', /-t[0-9a-f]{12}c/, 'a card with the title');
        assert.is(underWay(data, 'cover/'), false);
      } finally {
        await second.stop();
      }
    }),
  );
});

/** As a process leaves it that was killed. */
const leave = (data: string, keys: readonly (readonly [key: string, isLarge: boolean])[]): void => {
  const journal = Buffer.alloc(JOURNAL_BYTES);
  for (const [thread, [key, isLarge]] of keys.entries()) {
    begunRecord(key).copy(journal, slotAt(thread));
    if (isLarge) LARGE_RECORD.copy(journal, slotAt(thread));
  }
  writeFileSync(journalPath(data), journal);
};

block('what a process was decoding when it died', (check) => {
  const KEY = `upload/${'0'.repeat(40)}`;
  const opened = (use: (open: () => Promise<FailingPages>, folder: string, warnings: string[]) => Promise<void>) =>
    within(async (folder) => {
      const temp = await tempApp();
      const warnings: string[] = [];
      const { db, clock } = temp.app;
      const onWarning = (sentence: string): number => warnings.push(sentence);
      const onFault = (thrown: unknown): void => assert.unreachable(String(thrown));
      try {
        await use(() => FailingPages.open({ folder, db, clock, onWarning, onFault }), folder, warnings);
      } finally {
        await temp.close();
      }
    });
  const made = async (failing: FailingPages): Promise<string> =>
    failing.run(KEY, async () => 'made').catch((thrown: AppError) => thrown.kind);
  check('an image of ordinary size is tried again once, and refused after the second time', () =>
    opened(async (open, folder, warnings) => {
      leave(folder, [[KEY, false]]);
      await open();
      assert.equal(warnings, []);
      leave(folder, [[KEY, false]]);
      assert.is(await made(await open()), 'CorruptPage');
      assert.is(warnings.length, 1);
      assert.is(await made(await open()), 'CorruptPage', 'and later starts know it');
    }),
  );
  check('one that was decoded well in between is forgotten', () =>
    opened(async (open, folder) => {
      for (const _ of [1, 2, 3]) {
        leave(folder, [[KEY, false]]);
        assert.is(await made(await open()), 'made');
      }
    }),
  );
  check('a large one is refused at once; others that were decoded at the time are not', () =>
    opened(async (open, folder) => {
      leave(folder, [
        ['upload/1', false],
        [KEY, true],
      ]);
      const failing = await open();
      assert.is(await made(failing), 'CorruptPage');
      assert.is(await failing.run('upload/1', async () => 'made'), 'made');
    }),
  );
  check('a damaged journal and a process that ended in order accuse nothing', () =>
    opened(async (open, folder) => {
      writeFileSync(journalPath(folder), 'no journal');
      writeFileSync(join(folder, 'deadly-images.json'), '{"half');
      const failing = await open();
      leave(folder, [[KEY, true]]);
      failing.close();
      assert.is(await made(await open()), 'made');
    }),
  );
});
