// Tasks over more than a person sees: somebody with restrictions can neither enqueue them nor make those of others run again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../app.js';
import { ended, type TaskShelf, withTaskShelf } from '../http/task-shelf.js';
import { assert, block } from '../kit.js';
import { openPeople } from './people.js';

/** The token of a maintainer from whom a tag hides the only series of the library. */
const keeperOf = async ({ temp, ask, seriesId }: TaskShelf): Promise<string> => {
  const { token, id } = await (await openPeople(temp)).join('keeper', 'maintainer');
  const { json: tag } = await ask('POST', '/admin/sharing-tags', { name: 'hidden' });
  await ask('PUT', `/series/${seriesId}/sharing-tags`, { sharingTagIds: [tag.id] });
  await ask('PUT', `/users/${id}/sharing-tags`, { sharingTagId: tag.id, accessMode: 'deny' });
  return token;
};

/** What the keeper is told who runs a task of an administrator again. */
const again = async ({ ask }: TaskShelf, token: string, id: string): Promise<unknown[]> => {
  const { status, json } = await ask('POST', `/tasks/${id}/unlock`, undefined, token);
  return [status, json.message];
};

const enqueue = async (shelf: TaskShelf, taskType: object): Promise<string> => {
  const { status, json } = await shelf.ask('POST', '/tasks', { taskType });
  assert.is(status, 200, JSON.stringify(json));
  await ended(shelf, json.taskId, 'completed');
  return json.taskId;
};

block('tasks over what is hidden', (check) => {
  check('a purge by a task does not reach the books of hidden series', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId, seriesId } = shelf;
      const token = await keeperOf(shelf);
      const done = await enqueue(shelf, { type: 'purge_deleted', libraryId });
      rmSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'));
      await ask('POST', `/libraries/${libraryId}/scan`);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const kept = async (): Promise<number> =>
        (await ask('GET', `/series/${seriesId}/books?includeDeleted=true`)).json.length;
      const { status, json } = await ask('POST', '/tasks', { taskType: { type: 'purge_deleted', libraryId } }, token);
      assert.equal([status, json.message], [403, json.message]);
      assert.match(json.message, /^Users with restrictions/);
      assert.equal(await again(shelf, token, done), [403, json.message]);
      assert.is((await ask('DELETE', `/libraries/${libraryId}/purge-deleted`, undefined, token)).json, 0);
      await until('the tasks end', () => !temp.app.tasks.isBusy);
      assert.is(await kept(), 2);
      await enqueue(shelf, { type: 'purge_deleted', libraryId });
      assert.is(await kept(), 1);
    }),
  );

  check('a task over the series of all libraries is not for somebody with restrictions', () =>
    withTaskShelf(async (shelf) => {
      const { ask, libraryId, seriesId } = shelf;
      const token = await keeperOf(shelf);
      for (const type of ['reprocess_series_titles', 'renumber_series_batch']) {
        const done = await enqueue(shelf, { type });
        for (const taskType of [{ type }, { type, seriesIds: null }]) {
          const { status, json } = await ask('POST', '/tasks', { taskType }, token);
          assert.equal([status, json.message], [400, 'Users with restrictions must name what such a task is about.']);
        }
        assert.is((await again(shelf, token, done))[0], 400);
        const hidden = { taskType: { type, seriesIds: [seriesId] } };
        assert.is((await ask('POST', '/tasks', hidden, token)).status, 404);
      }
      const own = { taskType: { type: 'reprocess_series_titles', libraryId } };
      assert.is((await ask('POST', '/tasks', own, token)).status, 200);
    }),
  );

  check('the clean-up of an administrator is not run again by somebody who may not clean up', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      const { token } = await (await openPeople(temp)).join('keeper', 'maintainer');
      const done = await enqueue(shelf, { type: 'cleanup_orphaned_files' });
      const before = (await ask('GET', `/tasks/${done}`)).json;
      const refused = [403, 'Cleaning up requires the permission SystemAdmin.'];
      const taskType = { type: 'cleanup_orphaned_files' };
      const { status, json } = await ask('POST', '/tasks', { taskType }, token);
      assert.equal([status, json.message], refused);
      assert.equal(await again(shelf, token, done), refused);
      assert.is((await ask('POST', `/tasks/${done}/retry`, undefined, token)).status, 403);
      assert.equal((await ask('GET', `/tasks/${done}`)).json, before);
      assert.is((await ask('POST', `/tasks/${done}/unlock`)).status, 200);
      await ended(shelf, done, 'completed');
    }),
  );
});
