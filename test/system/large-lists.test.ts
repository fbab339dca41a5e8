// Many clients at once ask the real program for its largest pages: its memory stays bounded, and nobody is cut off.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { assert, block } from '../kit.js';
import { insertMany } from '../scan/many-books.js';
import { type Program, startProgram } from './program.js';

const MB = 1_000_000;
const BOOKS = 500;
/** As long as one may be. */
const SUMMARY = '漫'.repeat(20_000);
const CLIENTS = 12;
/** The heap of Node 24 has a young generation of up to 32 MB a space instead of 16, and takes about 110 MB more at the peak. */
const PEAK_MAX = (Number(process.versions.node.split('.')[0]) > 20 ? 570 : 450) * MB;
const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };

const stock = async (data: string, root: string): Promise<void> => {
  mkdirSync(data);
  mkdirSync(root);
  await migrate(join(data, 'longbox.db'), join(data, 'backups'));
  const db = await openDb({ path: join(data, 'longbox.db'), readers: 1, readDeadlineMs: 60_000, queueLength: 10 });
  await db.write(SYSTEM, 'background', async (tx) => {
    await insertMany(tx, { library: 1, root, sizes: [BOOKS] });
    await tx.run(
      `INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at)
       SELECT id, uuid, json_object('summary', ?), 0, 0 FROM book`,
      [SUMMARY],
    );
  });
  await db.close();
};

const peakBytes = ({ child }: Program): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;

interface Met {
  readonly status: number;
  readonly bytes: number;
}

const pageOf = async (program: Program, token: string, size: number): Promise<Met> => {
  const reply = await fetch(`${program.address}/api/v1/books?pageSize=${size}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let bytes = 0;
  for await (const chunk of reply.body ?? []) bytes += chunk.length;
  return { status: reply.status, bytes };
};

block('the largest pages', (check) => {
  check('memory stays bounded, and each client gets its page or is told to come back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-large-'));
    let started: Program | undefined;
    try {
      const data = join(folder, 'data');
      await stock(data, join(folder, 'shelf'));
      const program = await startProgram(['--data', data]);
      started = program;
      const made = await fetch(`${program.address}/api/v1/setup/initialize`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ADMIN),
      });
      const { access_token: token } = (await made.json()) as { access_token: string };
      const one = await pageOf(program, token, BOOKS);
      assert.ok(one.status === 200 && one.bytes > BOOKS * 60_000, `${one.status}, ${one.bytes} bytes`);
      const before = peakBytes(program);
      const all = await Promise.all(Array.from({ length: CLIENTS }, () => pageOf(program, token, BOOKS)));
      const got = all.filter(({ status }) => status === 200);
      assert.ok(got.length > 0);
      for (const { bytes } of got) assert.is(bytes, one.bytes);
      // The queue for room is bounded in time, so on a busy machine some are told to come back.
      assert.equal(
        [...new Set(all.map(({ status }) => status))].filter((status) => status !== 200 && status !== 503),
        [],
      );
      const peak = peakBytes(program);
      assert.ok(peak < PEAK_MAX, `${Math.round(before / MB)} MB after one page, ${Math.round(peak / MB)} MB after all`);
      program.child.kill('SIGTERM');
      assert.is(await program.ended, 0, program.printed());
    } finally {
      started?.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
