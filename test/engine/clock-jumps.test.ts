// A system clock that is set by hours, either way: waits and deadlines neither end at once nor last for hours more, what is read is kept,
// and schedules go on.
import { type TaskShelf, withTaskShelf } from '../http/task-shelf.js';
import { assert, block } from '../kit.js';

const HOUR_MS = 3_600_000;
const JUMP_MS = 5 * HOUR_MS;

const wrong = ({ temp }: TaskShelf) =>
  temp.call('POST', '/api/v1/auth/login', { body: { username: 'nobody', password: 'Wrong-secret-1!' } });

block('a clock that is set', (check) => {
  check('what is read after it was set back is stored', () =>
    withTaskShelf(async ({ temp, ask }) => {
      const [book] = (await ask('GET', '/books')).json.data;
      const read = async (page: number): Promise<number> => {
        const { status, json } = await ask('PUT', `/books/${book.id}/progress`, { current_page: page });
        assert.is(status, 200);
        return json.currentPage;
      };
      temp.jump(JUMP_MS);
      assert.is(await read(2), 2);
      temp.jump(-JUMP_MS);
      temp.advance(10_000);
      assert.is(await read(1), 1);
      assert.is((await ask('GET', `/books/${book.id}/progress`)).json.currentPage, 1);
      temp.jump(JUMP_MS);
      assert.is((await ask('DELETE', `/books/${book.id}/progress`)).status, 204);
      temp.jump(-JUMP_MS);
      temp.advance(10_000);
      assert.is(await read(2), 2, 'also after it was cleared');
    }),
  );
  check('who waits after wrong passwords waits as long as before', () =>
    withTaskShelf(async (shelf) => {
      const statuses = new Set<number>();
      for (let n = 0; n < 12; n += 1) statuses.add((await wrong(shelf)).status);
      assert.equal([...statuses], [401, 429]);
      const waitS = (await wrong(shelf)).json.details.retry_after;
      for (const ms of [-JUMP_MS, 2 * JUMP_MS, -JUMP_MS]) {
        shelf.temp.jump(ms);
        assert.is((await wrong(shelf)).json.details?.retry_after, waitS, `${ms} ms`);
      }
      shelf.temp.advance(waitS * 1000);
      assert.is((await wrong(shelf)).status, 401);
    }),
  );
  check('a schedule runs once when it is set forward, and goes on when it is set back', () =>
    withTaskShelf(async ({ temp, ask }) => {
      const key = 'thumbnail.book_cron_schedule';
      const tasks = async (): Promise<number> => (await ask('GET', '/tasks?taskType=generate_thumbnails')).json.length;
      const at = async (): Promise<number> => ((await temp.app.schedules.next()).get(key) ?? 0) - temp.app.clock.now();
      assert.is((await ask('PUT', `/admin/settings/${key}`, { value: '0 * * * *' })).status, 200);
      assert.is(await at(), HOUR_MS);
      temp.jump(JUMP_MS);
      for (let n = 0; n < 5; n += 1) await temp.app.schedules.check();
      assert.is(await tasks(), 1);
      assert.is(await at(), HOUR_MS);
      temp.jump(-JUMP_MS);
      await temp.app.schedules.check();
      assert.is(await at(), HOUR_MS, 'not five hours later');
      assert.is(await tasks(), 1);
    }),
  );
});
