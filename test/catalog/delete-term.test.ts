// Deleting a genre or tag that much carries: in batches, between which others write, and which may be interrupted.
import { addTerm, cleanTerms, deleteTerm, listTerms, termsOf } from '../../core/catalog/taxonomy.js';
import { AppError } from '../../core/model/errors.js';
import { uuidOfHex } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Db, Tx } from '../../core/store/db.js';
import { ASPECTS, type Batch, concerns, SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block, thrownBy } from '../kit.js';
import { insertMany } from '../scan/many-books.js';
import { openTempDb, type TempDb } from '../temp-db.js';

const CLOCK = { now: () => 1_000_000, elapsed: () => 1_000_000 };
const VIEWER = unrestricted(1);
const WINDOW = { page: 1, pageSize: 10 };
/** Books that carry the term, and series whose locked list has it although none of their books does. */
const SIZES = [450, 3, 90];
const LOCKED = 250;
const LINKS_MAX = 300;

const stock = async (tx: Tx): Promise<void> => {
  await insertMany(tx, { library: 1, root: '/l', sizes: [...SIZES, ...Array.from({ length: LOCKED }, () => 0)] });
  await tx.run("INSERT INTO tag (uuid, name, name_key, created_at) VALUES (randomblob(16), 'all', 'all', 0)");
  await tx.run('INSERT INTO book_tag SELECT id, 1 FROM book');
  await tx.run('INSERT INTO series_tag SELECT id, 1 FROM series');
  await tx.run(`UPDATE series SET locks = '["tags"]' WHERE book_count = 0`);
};

const idOf = async (db: Db, table: 'tag' | 'book'): Promise<string> => {
  const [row] = await db.all<{ hex: string }>(`SELECT hex(uuid) AS hex FROM ${table} ORDER BY id DESC LIMIT 1`);
  return uuidOfHex(row?.hex ?? '');
};

const withTag = async (body: (temp: TempDb, tag: string) => Promise<void>): Promise<void> => {
  const temp = await openTempDb('term');
  try {
    await temp.db.write(SYSTEM, 'background', stock);
    await body(temp, await idOf(temp.db, 'tag'));
  } finally {
    await temp.close();
  }
};

const onBatch = (db: Db, hear: (batch: Batch) => void): void =>
  db.feed.listen({ onBatch: hear, forget: () => undefined });

/** How many rows of a kind the transaction gave other words. */
const wordsOf = ({ reports }: Batch, kind: 'book' | 'series'): number =>
  reports
    .filter((report) => concerns(report, kind, ASPECTS.text))
    .reduce((sum, { keys }) => sum + (keys === 'all' ? Number.POSITIVE_INFINITY : keys.length), 0);

const isRemoval = ({ reports }: Batch): boolean => reports.some(({ change }) => change === 'removed');

const linksIn = async (db: Db): Promise<{ books: number; series: number; wrong: number } | undefined> =>
  (
    await db.all<{ books: number; series: number; wrong: number }>(
      `SELECT (SELECT count(*) FROM book_tag) AS books, (SELECT count(*) FROM series_tag) AS series,
         (SELECT count(*) FROM series s WHERE s.locks = '[]' AND (s.id IN (SELECT series_id FROM series_tag)) <>
            (s.id IN (SELECT b.series_id FROM book b JOIN book_tag t ON t.book_id = b.id WHERE b.deleted = 0))) AS wrong`,
    )
  )[0];

block('deleting a term that much carries', (check) => {
  check('no transaction takes it from more than a few hundred rows, and other writes go between', () =>
    withTag(async ({ db }, tag) => {
      const heard: Batch[] = [];
      onBatch(db, (batch) => heard.push(batch));
      const deletion = deleteTerm(db, 'tag', VIEWER, tag);
      await db.write(1, 'interactive', async (tx) => tx.report(updated('server', [1], ASPECTS.details)));
      await deletion;
      const [books, series] = (['book', 'series'] as const).map((kind) => heard.map((batch) => wordsOf(batch, kind)));
      const sum = (counts: readonly number[] = []): number => counts.reduce((all, count) => all + count, 0);
      assert.equal([sum(books), sum(series)], [450 + 45 + 3 + 90 + 9, SIZES.length + LOCKED]);
      assert.ok(Math.max(...(books ?? []), ...(series ?? [])) <= LINKS_MAX);
      const other = heard.findIndex(({ reports }) => reports.some(({ kind }) => kind === 'server'));
      assert.ok(other >= 0 && other < heard.findIndex(isRemoval));
      assert.equal((await listTerms(db, 'tag', VIEWER, WINDOW)).total, 0);
    }),
  );
  check('interrupted, it leaves a term that fewer carry; asked again, it deletes that', () =>
    withTag(async (temp, tag) => {
      let batches = 0;
      onBatch(temp.db, () => {
        batches += 1;
        if (batches === 2) void temp.db.close();
      });
      assert.ok((await thrownBy(() => deleteTerm(temp.db, 'tag', VIEWER, tag))) instanceof AppError);
      const db = await temp.reopen();
      const left = await linksIn(db);
      assert.ok(left !== undefined && left.books > 0 && left.books < 597 && left.series > LOCKED);
      assert.equal(left?.wrong, 0);
      const [term] = (await listTerms(db, 'tag', VIEWER, WINDOW)).items;
      assert.equal([term?.id, term?.seriesCount], [tag, (left?.series ?? 0) - LOCKED]);
      await deleteTerm(db, 'tag', VIEWER, tag);
      assert.equal(await linksIn(db), { books: 0, series: 0, wrong: 0 });
      const again = await addTerm(db, CLOCK, 'tag', 'book', VIEWER, await idOf(db, 'book'), 'all');
      assert.ok(again.id !== tag);
    }),
  );
  check('what is added to it meanwhile is deleted with it; what is added afterwards is a new term', () =>
    withTag(async ({ db }, tag) => {
      const book = await idOf(db, 'book');
      let added: ReturnType<typeof addTerm> | undefined;
      onBatch(db, () => {
        added ??= addTerm(db, CLOCK, 'tag', 'book', VIEWER, book, 'all');
      });
      await deleteTerm(db, 'tag', VIEWER, tag);
      assert.equal((await added)?.id, tag);
      assert.equal(await termsOf(db, 'tag', 'book', VIEWER, book), []);
      assert.equal(await linksIn(db), { books: 0, series: 0, wrong: 0 });
      const later = await addTerm(db, CLOCK, 'tag', 'book', VIEWER, book, 'all');
      assert.ok(later.id !== tag);
    }),
  );
  check('two at once both end with the term gone; a third finds nothing', () =>
    withTag(async ({ db }, tag) => {
      await Promise.all([deleteTerm(db, 'tag', VIEWER, tag), deleteTerm(db, 'tag', VIEWER, tag)]);
      assert.equal(await linksIn(db), { books: 0, series: 0, wrong: 0 });
      const thrown = await thrownBy(() => deleteTerm(db, 'tag', VIEWER, tag));
      assert.ok(thrown instanceof AppError && thrown.kind === 'NotFound');
    }),
  );
  check('cleaning deletes unused terms in batches, and only those', () =>
    withTag(async ({ db }) => {
      const unused = 'WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 1200)';
      await db.write(SYSTEM, 'background', (tx) =>
        tx.run(`${unused} INSERT INTO tag (uuid, name, name_key, created_at) SELECT randomblob(16), v, v, 0 FROM n`),
      );
      const gone: number[] = [];
      onBatch(db, ({ reports }) => gone.push(...reports.map(({ kind, keys }) => (kind === 'tag' ? keys.length : 0))));
      const names = await cleanTerms(db, 'tag', VIEWER);
      assert.equal([names.length, new Set(names).size], [1200, 1200]);
      assert.equal(gone, [500, 500, 200]);
      const left = await listTerms(db, 'tag', VIEWER, WINDOW);
      assert.equal([left.total, left.items[0]?.name], [1, 'all']);
    }),
  );
});
