// How many tasks may wait, and which of them is next.
import { AppError } from '../../core/model/errors.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import { created, type PublicRow, SYSTEM } from '../../core/store/feed.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import { claimTask, insertTask, NEXT } from '../../core/tasks/task-rows.js';
import { assert, block, thrownBy } from '../kit.js';
import { openTempDb } from '../temp-db.js';

block('waiting tasks', (check) => {
  check('after 10,000 of one type no more of it are accepted, but every other type is', async () => {
    const { db, close } = await openTempDb('tasks');
    const faults: unknown[] = [];
    const runner = new TaskRunner({
      db,
      clock: { now: () => 1, elapsed: () => 1 },
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

  check('the next task is found past any number of others: every step is a search by type', async () => {
    const { db, close } = await openTempDb('tasks');
    try {
      const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${NEXT}`, ['[]', 1]);
      const onTasks = plan.map(({ detail }) => detail).filter((detail) => / task_to_claim/.test(detail));
      assert.equal(onTasks, [
        'SEARCH task USING COVERING INDEX task_to_claim (type=?)',
        'SEARCH task USING COVERING INDEX task_to_claim_late (type=? AND scheduled_at>? AND scheduled_at<?)',
      ]);
      const scans = plan.filter(({ detail }) => detail.startsWith('SCAN') && !detail.startsWith('SCAN j '));
      assert.equal(scans, []);
    } finally {
      await close();
    }
  });

  check('the next task has the highest priority of those that are due, whether or not it was put off', async () => {
    const { db, close } = await openTempDb('tasks');
    const waiting = [
      ['slow', 0, 0],
      ['slow', 5, 0],
      ['slow', 9, 300],
      ['slow', 7, 100],
      ['slow', 8, 200],
      ['quick', 5, 0],
      ['quick', 6, 200],
      ['other', 99, 0],
    ] as const;
    try {
      await db.write(SYSTEM, 'interactive', async (tx) => {
        for (const [type, priority, scheduledAt] of waiting) {
          const parameters = { priority, scheduledAt };
          const made = {
            type,
            target: null,
            parameters,
            priority,
            scheduledAt,
            isNew: true,
            measure: async () => null,
          };
          await insertTask(tx, made, 1);
        }
      });
      const claimed: string[] = [];
      for (;;) {
        const task = await db.write(SYSTEM, 'background', (tx) => claimTask(tx, ['slow', 'quick'], 'me', 200));
        if (task === undefined) break;
        claimed.push(`${task.type} ${task.priority}`);
      }
      assert.equal(claimed, ['slow 7', 'slow 8', 'quick 6', 'slow 5', 'quick 5', 'slow 0']);
    } finally {
      await close();
    }
  });
});
