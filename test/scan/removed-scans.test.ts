// Scans of libraries that are deleted: they end at once and are not listed, although their rows may have to wait for other removals.
import { join } from 'node:path';
import { createLibrary, type Library } from '../../core/catalog/libraries.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { openTasks } from '../../core/tasks/task-rows.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const madeLibrary = ({ app, shelf }: TempApp, name: string): Promise<Library> => {
  const path = join(shelf, name);
  for (const n of [1, 2, 3]) writeBook(join(path, 'A', `A ${n}.cbz`), 1, `${name} ${n}`);
  return createLibrary(app.db, app.clock, SYSTEM, { name, path }, app.ownFolders);
};

/** No file is analysed. Under `stuck` the analyses do not even end when they are told to, as on a disk that does not answer. */
const held = (
  { app: { pool } }: TempApp,
  stuck: Library,
): { readonly open: () => void; readonly roots: Set<string> } => {
  const { run } = pool;
  const roots = new Set<string>();
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  pool.run = async (name, input, options) => {
    if (name === 'analyze') {
      const { root } = input as { readonly root: string };
      roots.add(root);
      const told = new Promise<void>((resolve) => options.signal?.addEventListener('abort', () => resolve()));
      await (root === stuck.root ? gate : Promise.race([gate, told]));
    }
    return run.call(pool, name, input, options) as never;
  };
  return { open, roots };
};

/** A user who sees no series rated for adults. */
const limitedToken = async ({ app, tokenOf }: TempApp): Promise<string> => {
  const token = await tokenOf('reader');
  await app.db.write(SYSTEM, 'interactive', async (tx) => {
    await tx.run(
      `INSERT INTO user_restriction (user_id, all_libraries, age_limit, show_unrated, updated_at)
       SELECT id, 1, 12, 1, 0 FROM user WHERE role = 'reader'`,
    );
    tx.report(updated('restriction', 'all', ASPECTS.details));
  });
  return token;
};

block('scans of deleted libraries', (check) => {
  check('a scan ends although the removal of its library waits for another one, and no list names either', async () => {
    const temp = await tempApp({ engine: { maxConcurrentScans: 2 } });
    const { app } = temp;
    const [first, second] = [await madeLibrary(temp, 'First'), await madeLibrary(temp, 'Second')];
    const gate = held(temp, first);
    try {
      const [admin, limited] = [await temp.tokenOf('admin'), await limitedToken(temp)];
      const listed = (token: string): Promise<Answer> => temp.call('GET', '/api/v1/scans/active', { token });
      for (const library of [first, second]) await app.scans.start(library, { mode: 'normal' });
      await until('both are read', () => gate.roots.size === 2);
      for (const token of [admin, limited]) assert.is((await listed(token)).json.length, 2);
      for (const { id } of [first, second])
        assert.is((await temp.call('DELETE', `/api/v1/libraries/${id}`, { token: admin })).status, 204);
      for (const token of [admin, limited])
        assert.equal([(await listed(token)).status, (await listed(token)).json], [200, []]);
      await until('the second scan ends', () => app.scans.active().every(({ libraryKey }) => libraryKey === first.key));
      assert.is((await openTasks(app.db, 'remove_library')).length, 2);
      assert.is(app.scans.active().length, 1);
      gate.open();
      await until('both are gone', async () => (await app.db.all('SELECT id FROM library')).length === 0);
      assert.equal(
        [app.scans.active(), await app.db.all('SELECT id FROM book'), temp.faults, temp.warnings],
        [[], [], [], []],
      );
    } finally {
      gate.open();
      await temp.close();
    }
  });
});
