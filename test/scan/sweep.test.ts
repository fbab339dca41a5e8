// What the end of discovery costs when the disk of a library is not mounted.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { allLibraries } from '../../core/catalog/libraries.js';
import { newFindings, type ScanContext } from '../../core/scan/context.js';
import { ScanTally } from '../../core/scan/scan-tally.js';
import { sweep } from '../../core/scan/sweep.js';
import type { Db } from '../../core/store/db.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { insertMany } from './many-books.js';

/** Counts the rows that reads return. */
const counted = (db: Db): { readonly db: Db; rows(): number } => {
  let count = 0;
  return {
    db: {
      ...db,
      all: async <T>(...[sql, binds]: Parameters<Db['all']>) => {
        const rows = await db.all<T>(sql, binds);
        count += rows.length;
        return rows;
      },
    },
    rows: () => count,
  };
};

/** A library whose folder is there but empty. */
const contextOf = async ({ app, folder, faults }: TempApp, db: Db, warnings: string[]): Promise<ScanContext> => {
  const root = join(folder, 'one');
  mkdirSync(root);
  await db.write(null, 'interactive', (tx) => insertMany(tx, { library: 1, root, sizes: [40, 40, 40] }));
  const [library] = await allLibraries(db);
  if (library === undefined) throw new Error('the library was not stored');
  return {
    parts: {
      db,
      blobs: app.blobs,
      clock: app.clock,
      tracing: app.tracing,
      pool: app.pool,
      limits: LIMITS,
      thumbnail: { side: 300, quality: 80 },
      walkBatchFiles: 1000,
      tally: new ScanTally(),
      ownFolders: [],
      onDue: () => undefined,
      onFault: (thrown) => faults.push(thrown),
    },
    library,
    part: null,
    mode: 'normal',
    signal: new AbortController().signal,
    hadBooks: true,
    lastKeyBefore: 1000,
    findings: newFindings(),
    warn: (sentence) => warnings.push(sentence),
    tell: () => undefined,
    settledOnly: false,
    looked: () => undefined,
    analyse: () => Promise.resolve(),
  };
};

block('the end of discovery', (check) => {
  check('no rows of books are read for a library whose folder is empty', async () => {
    const temp = await tempApp({ engine: { inspection: undefined } });
    try {
      const warnings: string[] = [];
      const counting = counted(temp.app.db);
      const context = await contextOf(temp, counting.db, warnings);
      const folders = await temp.app.db.all<{ id: number }>('SELECT id FROM folder');
      const before = counting.rows();
      await sweep(context, { vanishedFolders: folders.map(({ id }) => id) }, false);
      assert.match(warnings[0] ?? '', /is empty; is its disk mounted\?/);
      assert.ok(counting.rows() - before < 10, `${counting.rows() - before} rows were read`);
      assert.equal(await temp.app.db.all('SELECT count(*) AS n FROM book WHERE deleted = 0'), [{ n: 120 }]);
    } finally {
      await temp.close();
    }
  });
});
