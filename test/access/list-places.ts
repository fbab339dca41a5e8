// Places in a read list against the plain rule: positions and neighbours are those of the books that the viewer may see, in the order of the
// list.
import type { TempApp } from '../app.js';
import { assert } from '../kit.js';

interface Viewers {
  readonly temp: TempApp;
  /** Token of somebody who sees everything. */
  readonly free: string;
  readonly limited: string;
}

const NONE = { position: 0, total: 0, read: 0 };

/** `seen`: the ids of all that the limited viewer may see. */
export const checkPlaces = async (
  { temp, free, limited }: Viewers,
  listId: string,
  seen: ReadonlySet<string>,
): Promise<void> => {
  const path = `/api/v1/readlists/${listId}`;
  const all = (await temp.call('GET', `${path}/books`, { token: free })).json;
  const ids: readonly string[] = (all.items ?? all.data ?? all).map(({ id }: { readonly id: string }) => id);
  const visible = ids.filter((id) => seen.has(id));
  for (const id of ids) {
    const { status, json } = await temp.call('GET', `${path}/place?bookId=${id}`, { token: limited });
    const at = visible.indexOf(id);
    assert.is(status, at < 0 ? 404 : 200, `the place of ${id}`);
    if (at < 0) continue;
    assert.equal(
      [json.position, json.total, json.prev?.id, json.book?.id, json.next?.id],
      [at + 1, visible.length, visible[at - 1], id, visible[at + 1]],
      'place and neighbours',
    );
  }
  const { status, json } = await temp.call('GET', `${path}/place`, { token: limited });
  assert.is(status, 200, 'where to go on');
  if (visible.length === 0) assert.equal({ ...NONE, ...json }, NONE);
  else assert.ok(visible.includes(json.book.id), 'where to go on is visible');
};
