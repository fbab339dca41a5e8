// Recomputing what older rules stored: which rows each rule covers, and what happens when it fails, stops, or finds an unreadable table.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STORED_RULES } from '../../core/model/stored-rules.js';
import { withConnection } from '../../core/store/connection.js';
import { SYSTEM } from '../../core/store/feed.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { coversMade, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { insertMany } from './many-books.js';

const AS_BEFORE = 'UPDATE stored_rule SET number = 0';
const olderIs = (rule: string): string => `UPDATE stored_rule SET number = 0 WHERE name = '${rule}'`;

const root = mkdtempSync(join(tmpdir(), 'longbox-remake-'));
/** The library knows its books by this path, so each fact finds the folder here. */
const used = join(root, 'used');
const kept = join(root, 'kept');

/** A scanned library of one book, made once. */
const makeFolder = async (): Promise<void> => {
  writeBook(join(used, 'shelf', 'A', 'Book 1.cbz'), 2, 'one');
  const temp = await tempApp({ folder: used });
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  await temp.call('POST', '/api/v1/libraries', { token: await temp.tokenOf('admin'), body });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
  await temp.close();
  cpSync(used, kept, { recursive: true, preserveTimestamps: true });
};

/** That library as it was, in a folder that outlives its engine. */
const withFolder = (use: (folder: string) => Promise<void>): Promise<void> => {
  rmSync(used, { recursive: true });
  cpSync(kept, used, { recursive: true, preserveTimestamps: true });
  return use(used);
};

type Temp = Awaited<ReturnType<typeof tempApp>>;

const run = ({ app }: Temp, sql: string): Promise<number> => app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));

const inApp = async <T>(folder: string, use: (temp: Temp) => Promise<T>): Promise<T> => {
  const temp = await tempApp({ folder });
  try {
    return await use(temp);
  } finally {
    await temp.close();
  }
};

/** Waits for the work begun at startup: this task is started after it. */
const settled = async ({ app }: Temp): Promise<void> => {
  const last = await app.tasks.enqueue('analyze_books', null);
  await until('the start has taken over', async () => (await taskById(app.db, last)).state === 'completed');
  await until('nothing is left to do', async () => {
    const open = "SELECT id FROM task WHERE state IN ('pending', 'running')";
    return (await app.db.all(open)).length === 0;
  });
};

/** Changes rows while no server runs. */
const changed = (folder: string, changes: readonly string[]): Promise<void> =>
  withConnection(join(folder, 'data', 'longbox.db'), async (connection) => {
    for (const sql of changes) await connection.run(sql);
  });

/** The start after the changes recomputes. */
const recomputed = (changes: readonly string[], look: (temp: Temp) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    await changed(folder, changes);
    await inApp(folder, async (temp) => {
      await settled(temp);
      assert.equal(await numbersOf(temp), { ...STORED_RULES });
      assert.equal(temp.faults, []);
      await look(temp);
    });
  });

const numbersOf = async ({ app }: Temp): Promise<Record<string, number>> => {
  const rows = await app.db.all<{ name: string; number: number }>('SELECT name, number FROM stored_rule');
  return Object.fromEntries(rows.map(({ name, number }) => [name, number]));
};

const rowsOf = ({ app }: Temp, sql: string): Promise<unknown[]> => app.db.all(sql);

/** A task left running by a process that died, started `starts` times without progress. */
const leftRunning = (rule: keyof typeof STORED_RULES, checkpoint: number | null, starts: number): string =>
  `INSERT INTO task (uuid, type, parameters, state, checkpoint, lease_owner, lease_until, starts, created_at)
   VALUES (randomblob(16), 'apply_rule', '${JSON.stringify({ rule, number: STORED_RULES[rule] })}', 'running',
     ${checkpoint === null ? 'NULL' : `'${checkpoint}'`}, 'dead', 99999999999999, ${starts}, 0)`;

const EVERY_RULE: readonly (readonly [rule: string, changes: readonly string[], look: string, expected: unknown])[] = [
  ['sortKeys', ["UPDATE series SET name_sort = 'old'"], 'SELECT name_sort AS found FROM series', 'a'],
  ['titles', ["UPDATE book SET title = 'old', title_sort = 'old'"], 'SELECT title AS found FROM book', 'Book 1'],
  ['facts', ["UPDATE book SET title = 'old'"], 'SELECT title AS found FROM book', 'Book 1'],
  [
    'series',
    [
      `INSERT INTO book_source (book_id, source, series) SELECT id, 1, '{"summary":"Of the file"}' FROM book`,
      "UPDATE series SET summary = 'old'",
    ],
    'SELECT summary AS found FROM series',
    'Of the file',
  ],
  ['volumes', ['UPDATE book SET volume = 7'], 'SELECT volume AS found FROM book', null],
  ['numbers', ['UPDATE book SET number = 7'], 'SELECT number AS found FROM book', 1],
  ['epubKinds', ["UPDATE book SET epub_kind = 'fixed'"], 'SELECT epub_kind AS found FROM book', null],
  ['words', ['DELETE FROM book_words'], "SELECT count(*) AS found FROM book_words WHERE book_words MATCH 'book'", 1],
  ['words', [], 'SELECT count(DISTINCT segid) AS found FROM book_words_idx', 1],
  [
    'names',
    ["UPDATE user SET username_key = 'old'"],
    'SELECT count(*) AS found FROM user WHERE username_key = lower(username)',
    1,
  ],
  ['analysis', ["UPDATE book SET koreader_hash = 'old'"], 'SELECT length(koreader_hash) AS found FROM book', 32],
];

/** None of these touches what another one computes, so outside a full run they are tried together. */
const INDEPENDENT = ['sortKeys', 'volumes', 'numbers', 'epubKinds', 'names'];
const TOGETHER = IS_FULL ? [] : EVERY_RULE.filter(([rule]) => INDEPENDENT.includes(rule));
const ALONE = EVERY_RULE.filter((one) => !TOGETHER.includes(one)).map((one) => [one]);

const STAYING_TITLES: readonly (readonly [fact: string, change: string])[] = [
  [
    'a title set by a user stays',
    `INSERT INTO book_metadata (book_id, uuid, facts, locks, created_at, updated_at)
       SELECT id, randomblob(16), '{"title":"Mine"}', '["title"]', 0, 0 FROM book`,
  ],
  ['titles of a library whose new strategy waits for a deep scan stay', 'UPDATE library SET rules_changed = 1'],
];

/** Those with rows that rules produce. */
const TABLES = 'library series book book_metadata book_pages book_text series_text genre user'.split(' ');
const everything = (temp: Temp): Promise<unknown> =>
  Promise.all(TABLES.map((table) => rowsOf(temp, `SELECT * FROM ${table} ORDER BY 1`)));

const reached = (check: Check): void => {
  check('a new database starts with the current rules', () =>
    withFolder((folder) => inApp(folder, async (temp) => assert.equal(await numbersOf(temp), { ...STORED_RULES }))),
  );
  for (const some of [TOGETHER, ...ALONE].filter(({ length }) => length > 0)) {
    const names = some.map(([rule]) => rule);
    check(`${names.join(', ')}: results of an older one are recomputed`, () =>
      recomputed(
        some.flatMap(([rule, changes]) => [olderIs(rule), ...changes]),
        async (temp) => {
          for (const [rule, , look, expected] of some)
            assert.equal(await rowsOf(temp, look), [{ found: expected }], rule);
          const tasks = "SELECT parameters ->> 'rule' AS rule, state FROM task WHERE type = 'apply_rule' ORDER BY 1";
          const completed = [...names].sort().map((rule) => ({ rule, state: 'completed' }));
          assert.equal(await rowsOf(temp, tasks), completed);
        },
      ),
    );
  }
  for (const [fact, change] of STAYING_TITLES) {
    check(fact, () =>
      recomputed([olderIs('titles'), "UPDATE book SET title = 'Mine', title_sort = 'mine'", change], async (temp) =>
        assert.equal(await rowsOf(temp, 'SELECT title, title_sort AS key FROM book'), [{ title: 'Mine', key: 'mine' }]),
      ),
    );
  }
  check('correct rows stay unchanged, under every rule', () =>
    withFolder(async (folder) => {
      const before = await inApp(folder, async (temp) => {
        const token = await temp.tokenOf('admin');
        const path = join(folder, 'smart');
        const info =
          '<ComicInfo><Title>Dawn</Title><Volume>3</Volume><Number>7</Number><Genre>Drama</Genre></ComicInfo>';
        writeBook(join(path, 'B', 'B v02 c10.cbz'), 2, 'two', [{ name: 'ComicInfo.xml', bytes: Buffer.from(info) }]);
        writeBook(join(path, 'B', 'B 1.5.cbz'), 1, 'three');
        const smart = { bookStrategy: 'smart', numberStrategy: 'smart' };
        const body = { name: 'The Smart', path, ...smart, scanImmediately: true };
        assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        await coversMade(temp);
        assert.equal(await rowsOf(temp, "SELECT title FROM book WHERE title = 'Dawn'"), [{ title: 'Dawn' }]);
        const all = await everything(temp);
        await run(temp, "UPDATE stored_rule SET number = 0 WHERE name <> 'analysis'");
        return all;
      });
      await inApp(folder, async (temp) => {
        await settled(temp);
        assert.equal(await numbersOf(temp), { ...STORED_RULES });
        assert.equal(await everything(temp), before);
      });
    }),
  );
  check('a key stays with the name that has it; a key that becomes free is taken', () =>
    recomputed(
      [
        olderIs('names'),
        `INSERT INTO tag (uuid, name, name_key, created_at) SELECT randomblob(16), value ->> 0, value ->> 1, 0
           FROM json_each('[["Two","old"],["One","two"],["Same","same"],["SAME","x"]]')`,
      ],
      async (temp) =>
        assert.equal(await rowsOf(temp, 'SELECT name, name_key AS key FROM tag ORDER BY id'), [
          { name: 'Two', key: 'two' },
          { name: 'One', key: 'one' },
          { name: 'Same', key: 'same' },
          { name: 'SAME', key: 'x' },
        ]),
    ),
  );
  check('a book whose page table cannot be read is analysed again', () =>
    recomputed([olderIs('pages'), "UPDATE book_pages SET rule = 1, page_table = x'00'"], async (temp) => {
      assert.equal(await rowsOf(temp, 'SELECT due, page_count FROM book'), [{ due: 0, page_count: 2 }]);
      const tables = 'SELECT rule, length(page_table) > 1 AS isWhole FROM book_pages';
      assert.equal(await rowsOf(temp, tables), [{ rule: STORED_RULES.pages, isWhole: 1 }]);
    }),
  );
};

const interrupted = (check: Check): void => {
  check('one failing rule blocks no other, and the next start retries it', () =>
    withFolder(async (folder) => {
      await changed(folder, [
        AS_BEFORE,
        "UPDATE series SET name_sort = 'old'",
        "CREATE TRIGGER refuse BEFORE UPDATE OF name_sort ON series BEGIN SELECT raise(ABORT, 'no room'); END",
      ]);
      await inApp(folder, async (temp) => {
        await settled(temp);
        assert.equal(await numbersOf(temp), { ...STORED_RULES, sortKeys: 0 });
        assert.match(String(temp.faults[0]), /no room/);
        const failed = "SELECT parameters ->> 'rule' AS rule, error FROM task WHERE state = 'failed'";
        assert.equal(await rowsOf(temp, failed), [{ rule: 'sortKeys', error: 'The task failed; the log says why.' }]);
        await run(temp, 'DROP TRIGGER refuse');
      });
      await inApp(folder, async (temp) => {
        await settled(temp);
        assert.equal(await numbersOf(temp), { ...STORED_RULES });
        assert.equal(await rowsOf(temp, 'SELECT name_sort AS key FROM series'), [{ key: 'a' }]);
      });
    }),
  );
  check('a task whose process died resumes after its last batch', () =>
    withFolder(async (folder) => {
      await inApp(folder, async (temp) => {
        const { db } = temp.app;
        await db.write(SYSTEM, 'interactive', (tx) =>
          insertMany(tx, { library: 2, root: '/elsewhere', sizes: [1500] }),
        );
        await run(temp, olderIs('sortKeys'));
        await run(temp, "UPDATE book SET title_sort = 'old'");
        await run(temp, leftRunning('sortKeys', 600, 1));
      });
      await inApp(folder, async (temp) => {
        await settled(temp);
        assert.is((await numbersOf(temp)).sortKeys, STORED_RULES.sortKeys);
        const old = "SELECT count(*) AS n, max(id) AS last FROM book WHERE title_sort = 'old'";
        assert.equal(await rowsOf(temp, old), [{ n: 600, last: 600 }]);
        const tasks = "SELECT state, starts FROM task WHERE type = 'apply_rule'";
        assert.equal(await rowsOf(temp, tasks), [{ state: 'completed', starts: 1 }]);
      });
    }),
  );
  check('one that killed three processes is quarantined, also at the next start; the others run', () =>
    withFolder(async (folder) => {
      await changed(folder, [AS_BEFORE, leftRunning('titles', null, 3)]);
      for (let start = 0; start < 2; start += 1) {
        await inApp(folder, async (temp) => {
          await settled(temp);
          assert.equal(await numbersOf(temp), { ...STORED_RULES, titles: 0 });
          const failed = "SELECT error FROM task WHERE type = 'apply_rule' AND state <> 'completed'";
          const [row, ...more] = (await rowsOf(temp, failed)) as { error: string }[];
          assert.match(row?.error ?? '', /stopped 3 times/);
          assert.equal(more, []);
        });
      }
    }),
  );
  check('a task for a number other than the current one does nothing', () =>
    withFolder(async (folder) => {
      await changed(folder, [
        "UPDATE series SET name_sort = 'old'",
        leftRunning('sortKeys', null, 1).replace(`"number":${STORED_RULES.sortKeys}`, '"number":1'),
      ]);
      await inApp(folder, async (temp) => {
        await settled(temp);
        assert.equal(await rowsOf(temp, 'SELECT name_sort AS key FROM series'), [{ key: 'old' }]);
        assert.equal(await rowsOf(temp, "SELECT state FROM task WHERE type = 'apply_rule'"), [{ state: 'completed' }]);
      });
    }),
  );
};

block(
  'rows that older rules stored',
  (check) => {
    reached(check);
    interrupted(check);
  },
  { before: makeFolder, after: () => rmSync(root, { recursive: true, force: true }) },
);
