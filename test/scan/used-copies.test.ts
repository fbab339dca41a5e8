// A series whose copy people used before the original was deleted: the copy has what they did with both.
import { cpSync, rmSync } from 'node:fs';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { image, partForm } from '../form.js';
import { assert, block } from '../kit.js';
import { type ChangingShelf, comicInfo, paged, withChangingShelf } from './changing-shelf.js';

interface Copied {
  readonly shelf: ChangingShelf;
  /** Ids of the series. */
  readonly old: string;
  readonly copy: string;
  /** Scans after the original was deleted. */
  remove(): Promise<void>;
  members(collection: string): Promise<readonly string[]>;
  listed(): Promise<string>;
}

const BOOKS = 3;

const ok = async (answer: ReturnType<ChangingShelf['api']>): Promise<{ id: string } & Record<string, unknown>> => {
  const { status, json } = await answer;
  assert.ok(status < 300, `${status} ${JSON.stringify(json)}`);
  return json;
};

const withCopy = (
  use: (copied: Copied) => Promise<void>,
  more: (shelf: ChangingShelf) => void = () => undefined,
  found = (shelf: ChangingShelf): Promise<void> => shelf.scan(),
) =>
  withChangingShelf(async (shelf) => {
    for (let n = 1; n <= 15; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 5));
    for (let n = 1; n <= BOOKS; n += 1) shelf.write(`Saga/Saga ${n}.cbz`, paged(`saga ${n}`, 6));
    await shelf.scan();
    cpSync(shelf.path('Saga'), shelf.path('Copies/Saga'), { recursive: true });
    more(shelf);
    await found(shelf);
    const old = (await shelf.book(`${shelf.path('Saga/Saga 1.cbz').slice(1)}`)).seriesId;
    const copy = (await shelf.book('Copies/Saga/Saga 1.cbz')).seriesId;
    assert.is.not(old, copy);
    await use({
      shelf,
      old,
      copy,
      remove: async () => {
        rmSync(shelf.path('Saga'), { recursive: true });
        await shelf.scan();
      },
      members: async (collection) => {
        const { json } = await shelf.api('GET', `/collections/${collection}/series`);
        return ((json.data ?? json) as { id: string }[]).map(({ id }) => id);
      },
      listed: async () => JSON.stringify((await shelf.api('GET', '/want-to-read')).json),
    });
  });

const collect = async ({ shelf }: Copied, ...series: readonly string[]): Promise<string> => {
  const { id } = await ok(shelf.api('POST', '/collections', { name: series.join() }));
  await ok(shelf.api('POST', `/collections/${id}/series`, { seriesIds: series }));
  return id;
};

const edit = ({ shelf }: Copied, id: string, fields: Record<string, unknown>) =>
  ok(shelf.api('PATCH', `/series/${id}/metadata`, fields));

const seriesOf = async ({ shelf }: Copied, id: string): Promise<Record<string, unknown>> => ({
  ...(await ok(shelf.api('GET', `/series/${id}`))),
  ...(await ok(shelf.api('GET', `/series/${id}/metadata`))),
});

/** Ways of using the copy. */
const USES: Readonly<Record<string, (copied: Copied) => Promise<unknown>>> = {
  'a book was read': async ({ shelf }) => shelf.read((await shelf.book('Copies/Saga/Saga 2.cbz')).id, 3),
  'all books were read': async ({ shelf }) => {
    for (let n = 1; n <= BOOKS; n += 1) await shelf.read((await shelf.book(`Copies/Saga/Saga ${n}.cbz`)).id, 2);
  },
  'the series was collected': (copied) => collect(copied, copied.copy),
  'the series was edited': (copied) => edit(copied, copied.copy, { imprint: 'Small' }),
};

/** Ways in which a copy is found, other than by a complete scan. */
const FINDS: Readonly<Record<string, (shelf: ChangingShelf) => Promise<void>>> = {
  'a copy found by a scan of its folder': (shelf) => shelf.scan('?folder=Copies'),
  'a copy found by a scan that was stopped after it had been shown': async (shelf) => {
    const { db } = shelf.temp.app;
    const [before] = await db.all<{ id: number; at: number }>('SELECT id, last_scanned_at AS at FROM library');
    assert.ok(before !== undefined);
    await shelf.scan();
    // The end of a scan stores this last.
    await db.write(SYSTEM, 'background', async (tx) => {
      await tx.run('UPDATE library SET last_scanned_at = ?', [before.at]);
      tx.report(updated('library', [before.id], ASPECTS.details));
    });
  },
};

block('series whose copy was used', (check) => {
  for (const [name, useCopy] of Object.entries(USES))
    check(`${name}: collections, want-to-read, edits, titles and covers are those of the copy`, () =>
      withCopy(async (copied) => {
        const { shelf, old, copy, remove, members, listed } = copied;
        await useCopy(copied);
        const list = await collect(copied, old);
        await ok(shelf.api('POST', '/want-to-read', { seriesId: old }));
        await ok(
          shelf.api('PUT', '/user/reader-profiles', { seriesId: old, device: 'tablet', value: { fit: 'width' } }),
        );
        await edit(copied, old, { summary: 'Mine', title: 'The Saga', totalChapterCount: 40 });
        await ok(shelf.api('POST', `/series/${old}/alternate-titles`, { label: 'Short', title: 'Sg' }));
        await ok(shelf.api('POST', `/series/${old}/genres`, { name: 'Own genre' }));
        const form = partForm('Content-Disposition: form-data; name="file"', image('png-palette-alpha.png'));
        const token = await shelf.temp.tokenOf('admin');
        assert.ok((await shelf.temp.call('POST', `/api/v1/series/${old}/cover`, { token, ...form })).status < 300);
        await shelf.read((await shelf.book(shelf.path('Saga/Saga 1.cbz').slice(1))).id, 5);
        await remove();
        assert.equal(await members(list), [copy]);
        const wanted = await listed();
        assert.ok(wanted.includes(copy) && !wanted.includes(old), wanted);
        const series = await seriesOf(copied, copy);
        assert.equal([series.summary, series.title, series.totalChapterCount], ['Mine', 'The Saga', 40]);
        if (name.endsWith('edited')) assert.is(series.imprint, 'Small');
        assert.ok(JSON.stringify((await shelf.api('GET', `/series/${copy}/alternate-titles`)).json).includes('Sg'));
        assert.ok(JSON.stringify((await shelf.api('GET', `/series/${copy}/genres`)).json).includes('Own genre'));
        const covers = await shelf.temp.app.db.all<{ n: number }>(
          `SELECT count(*) AS n FROM cover c JOIN series s ON s.id = c.series_id WHERE s.uuid = unhex('${copy.replaceAll('-', '')}') AND c.selected = 1`,
        );
        assert.is(covers[0]?.n, 1);
        const books = (await shelf.books()).filter(({ path }) => path.includes('/Copies/Saga/'));
        assert.equal([books.length, ...new Set(books.map(({ seriesId }) => seriesId))], [BOOKS, copy]);
        assert.is((await shelf.progress((await shelf.book('Copies/Saga/Saga 1.cbz')).id))?.currentPage, 5);
        const profiles = await ok(shelf.api('GET', `/user/reader-profiles?seriesId=${copy}`));
        assert.ok(JSON.stringify(profiles).includes(copy), JSON.stringify(profiles));
        const before = await seriesOf(copied, copy);
        await shelf.scan();
        assert.equal(await seriesOf(copied, copy), before);
      }),
    );
  check('what the copy has itself stays: edits, memberships, its cover', () =>
    withCopy(async (copied) => {
      const { shelf, old, copy, remove, members, listed } = copied;
      const list = await collect(copied, old, copy);
      for (const seriesId of [old, copy]) await ok(shelf.api('POST', '/want-to-read', { seriesId }));
      await edit(copied, copy, { summary: 'Of the copy', customMetadata: { shelf: 1 } });
      await edit(copied, old, { summary: 'Of the original', publisher: 'House', customMetadata: { shelf: 2, box: 3 } });
      await remove();
      const { summary, publisher, customMetadata } = await seriesOf(copied, copy);
      assert.equal([summary, publisher, customMetadata], ['Of the copy', 'House', { shelf: 1, box: 3 }]);
      assert.equal(
        (await members(list)).filter((id) => id === copy),
        [copy],
      );
      assert.is((await listed()).split(copy).length > 1, true);
    }),
  );
  for (const isRead of [true, false])
    check(
      `a book chosen as cover is the same book of the copy, ${isRead ? 'which was read' : 'which took its place'}`,
      () =>
        withCopy(async (copied) => {
          const { shelf, old, copy, remove } = copied;
          await edit(copied, copy, { summary: 'Used' });
          if (isRead) await shelf.read((await shelf.book('Copies/Saga/Saga 2.cbz')).id, 3);
          const { id } = await shelf.book(shelf.path('Saga/Saga 2.cbz').slice(1));
          const choice = (of: string) => shelf.api('PATCH', `/series/${of}/cover/source`, { source: `book:${id}` });
          await ok(choice(old));
          await remove();
          const chosen = await shelf.temp.app.db.all<{ path: string }>(
            `SELECT f.path || '/' || b.file_name AS path FROM cover c JOIN series s ON s.id = c.series_id JOIN book b ON b.uuid = c.of_book
             JOIN folder f ON f.id = b.folder_id WHERE s.uuid = unhex('${copy.replaceAll('-', '')}') AND c.selected = 1 AND b.deleted = 0`,
          );
          assert.equal(chosen, [{ path: 'Copies/Saga/Saga 2.cbz' }]);
        }),
    );
  for (const owner of ['original', 'copy'] as const)
    for (const isUsed of [true, false])
      check(
        `a book of the ${owner} chosen for lists stays chosen if the copy was ${isUsed ? 'used' : 'not used'}`,
        () =>
          withCopy(async (copied) => {
            const { shelf, old, remove } = copied;
            if (isUsed) await edit(copied, copied.copy, { summary: 'Used' });
            if (isUsed) await shelf.read((await shelf.book('Copies/Saga/Saga 2.cbz')).id, 3);
            await shelf.read((await shelf.book(shelf.path('Saga/Saga 2.cbz').slice(1))).id, 4);
            const path = owner === 'copy' ? 'Copies/Saga/Saga 2.cbz' : shelf.path('Saga/Saga 2.cbz').slice(1);
            const { id } = await shelf.book(path);
            const lists = [`/collections/${await collect(copied, old)}`];
            lists.push(`/readlists/${(await ok(shelf.api('POST', '/readlists', { name: 'Mine' }))).id}`);
            const source = { source: `book:${id}` };
            for (const list of lists) await ok(shelf.api('PATCH', `${list}/cover/source`, source));
            await remove();
            const now = (await shelf.book('Copies/Saga/Saga 2.cbz')).id;
            for (const list of lists)
              assert.is((await ok(shelf.api('GET', `${list}/covers`))).source, `book:${now}`, list);
          }),
      );
  check('a tag that hides the original hides the copy, and the higher locked rating counts', () =>
    withCopy(async (copied) => {
      const { shelf, old, copy, remove } = copied;
      await edit(copied, copy, { summary: 'Used' });
      await edit(copied, old, { ageRating: 18 });
      const { id } = await ok(shelf.api('POST', '/admin/sharing-tags', { name: 'adults' }));
      await ok(shelf.api('POST', `/series/${old}/sharing-tags`, { sharingTagId: id }));
      await remove();
      assert.is((await seriesOf(copied, copy)).ageRating, 18);
      const tags = JSON.stringify((await shelf.api('GET', `/series/${copy}/sharing-tags`)).json);
      assert.ok(tags.includes('adults'), tags);
    }),
  );
  for (const [name, found] of Object.entries(FINDS))
    for (const isUsed of [true, false])
      check(`${name}, ${isUsed ? 'used' : 'not used'}: it has what people did with the original`, () =>
        withCopy(
          async (copied) => {
            const { shelf, old, copy, remove, members } = copied;
            if (isUsed) await edit(copied, copy, { imprint: 'Small' });
            if (isUsed) await shelf.read((await shelf.book('Copies/Saga/Saga 2.cbz')).id, 3);
            await edit(copied, old, { summary: 'Mine' });
            const list = await collect(copied, old);
            await shelf.read((await shelf.book(shelf.path('Saga/Saga 1.cbz').slice(1))).id, 5);
            await remove();
            const books = (await shelf.books()).filter(({ path }) => path.includes('/Copies/Saga/'));
            assert.equal(
              [books.length, ...new Set(books.map(({ seriesId }) => seriesId))],
              [BOOKS, isUsed ? copy : old],
            );
            assert.equal(await members(list), [isUsed ? copy : old]);
            assert.is((await seriesOf(copied, isUsed ? copy : old)).summary, 'Mine');
            assert.is((await shelf.progress((await shelf.book('Copies/Saga/Saga 1.cbz')).id))?.currentPage, 5);
          },
          (shelf) => shelf.write('Copies/Saga/Saga 3.cbz', [...paged('saga 3', 6), comicInfo('Three')]),
          found,
        ),
      );
  for (const isUsed of [true, false])
    check(`a copy that was retagged before the next scan, ${isUsed ? 'used' : 'not used'}, is recognised`, () =>
      withCopy(async (copied) => {
        const { shelf, old, copy, remove, members } = copied;
        if (isUsed) await edit(copied, copy, { imprint: 'Small' });
        const list = await collect(copied, old);
        await shelf.read((await shelf.book(shelf.path('Saga/Saga 1.cbz').slice(1))).id, 5);
        for (let n = 1; n <= BOOKS; n += 1)
          shelf.write(`Copies/Saga/Saga ${n}.cbz`, [...paged(`saga ${n}`, 6), comicInfo(`Part ${n}`)]);
        await remove();
        assert.equal(await members(list), [isUsed ? copy : old]);
        const first = await shelf.book('Copies/Saga/Saga 1.cbz');
        assert.is(first.seriesId, isUsed ? copy : old);
        assert.is((await shelf.progress(first.id))?.currentPage, 5);
      }),
    );
  const stays = (name: string, more: (shelf: ChangingShelf) => void) =>
    check(name, () =>
      withCopy(async (copied) => {
        const { shelf, old, copy, remove, members } = copied;
        await edit(copied, copy, { summary: 'Used' });
        await edit(copied, old, { publisher: 'House' });
        const list = await collect(copied, old);
        cpSync(shelf.path('Saga'), shelf.path('.kept'), { recursive: true });
        await remove();
        assert.is.not((await seriesOf(copied, copy)).publisher, 'House');
        cpSync(shelf.path('.kept'), shelf.path('Saga'), { recursive: true });
        await shelf.scan();
        assert.equal(await members(list), [old]);
        assert.is((await seriesOf(copied, old)).publisher, 'House');
      }, more),
    );
  stays('a folder with other books too gets nothing, and nothing is lost', (shelf) =>
    shelf.write('Copies/Saga/Own.cbz', paged('own', 7)),
  );
  stays('nor does one that lacks a book', (shelf) => rmSync(shelf.path('Copies/Saga/Saga 3.cbz')));
  stays('nor one of two copies', (shelf) => cpSync(shelf.path('Saga'), shelf.path('More/Saga'), { recursive: true }));
});
