// How EPUBs are laid out, as analyses store it and as the rule computes it for the books of earlier versions.
import { remakeEpubKinds } from '../../core/scan/remake-epub-kinds.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

const KINDS = {
  'childrens-literature.epub': 'reflowable',
  'comic-fxl-rtl.epub': 'images',
  'comicinfo-full.cbz': null,
  'drm-lcp.epub': 'reflowable',
  'w3c-fxl-page-spread-center.epub': 'fixed',
};

let shelf: StockedShelf;

const kinds = async (): Promise<Record<string, unknown>> => {
  const rows = await shelf.temp.app.db.all<{ name: string; kind: string | null }>(
    'SELECT file_name AS name, epub_kind AS kind FROM book ORDER BY file_name',
  );
  return Object.fromEntries(rows.map(({ name, kind }) => [name, kind]));
};

block(
  'kinds of EPUBs',
  (check) => {
    check('an analysis stores the kind', async () => assert.equal(await kinds(), KINDS));

    check('the rule computes it from stored rows alone', async () => {
      const { app } = shelf.temp;
      await app.db.write(SYSTEM, 'interactive', (tx) =>
        tx.run("UPDATE book SET epub_kind = CASE WHEN format = 'cbz' THEN 'images' END"),
      );
      await app.db.write(SYSTEM, 'background', (tx) => remakeEpubKinds(tx, { from: 1, to: 1000 }));
      assert.equal(await kinds(), KINDS);
    });
  },
  {
    before: async () => {
      shelf = await stockedShelf(Object.keys(KINDS));
    },
    after: () => shelf.temp.close(),
  },
);
