// How many tasks may wait.
import { AppError } from '../../core/model/errors.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import { created, type PublicRow, SYSTEM } from '../../core/store/feed.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import { assert, block, thrownBy } from '../kit.js';
import { openTempDb } from '../temp-db.js';

block('waiting tasks', (check) => {
  check('after 10,000 of one type no more of it are accepted, but every other type is', async () => {
    const { db, close } = await openTempDb('tasks');
    const faults: unknown[] = [];
    const runner = new TaskRunner({
      db,
      clock: { now: () => 1 },
      lanes: { one: 1 },
      onFault: (thrown) => faults.push(thrown),
    });
    for (const type of ['analyze_book', 'scan_library', 'remove_library'])
      runner.register(type, { lane: 'one', run: () => Promise.resolve() });
    const ask = (type: string) => runner.enqueue(type, { kind: 'book', id: uuidOfHex(newId(1)) });
    try {
      await db.write(SYSTEM, 'interactive', async (tx) => {
        const rows = await tx.all<PublicRow>(
          `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9999)
           INSERT INTO task (uuid, type, parameters, priority, created_at)
           SELECT randomblob(16), 'analyze_book', '{}', 0, 1 FROM c RETURNING id, hex(uuid) AS hex`,
        );
        tx.report(created('task', rows));
      });
      await ask('analyze_book');
      const refused = await thrownBy(() => ask('analyze_book'));
      assert.ok(refused instanceof AppError && refused.kind === 'Overloaded');
      await ask('scan_library');
      await ask('remove_library');
      assert.equal(faults, []);
    } finally {
      await runner.stop();
      await close();
    }
  });
});
