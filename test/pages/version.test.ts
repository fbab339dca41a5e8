// What cache keys and tags are made of: whatever changes bytes, the page rule and the settings of images included, makes others of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGE_RULES, STORED_RULES } from '../../core/model/stored-rules.js';
import { bordersKey, coverForm, coverKey, pageForm, pageKey, tagOf, versionOf } from '../../core/pages/version.js';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const ID = '0189a5c0-1111-7000-8000-0123456789ab';
const OTHER = '0189a5c0-1111-7000-8000-0123456789ac';
const THUMBNAIL = { side: 400, quality: 85 };

/** Each changes one thing; all results have to differ. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  versions: [versionOf(0, 10, 20), versionOf(1, 10, 20), versionOf(0, 11, 20), versionOf(0, 10, 21)],
  'cover keys': [
    coverKey(ID, 'v', THUMBNAIL),
    coverKey(OTHER, 'v', THUMBNAIL),
    coverKey(ID, 'w', THUMBNAIL),
    coverKey(ID, 'v', { ...THUMBNAIL, side: 401 }),
    coverKey(ID, 'v', { ...THUMBNAIL, quality: 86 }),
  ],
  'page keys': [
    pageKey(ID, 'v', 1, pageForm(80)),
    pageKey(OTHER, 'v', 1, pageForm(80)),
    pageKey(ID, 'w', 1, pageForm(80)),
    pageKey(ID, 'v', 2, pageForm(80)),
    pageKey(ID, 'v', 1, pageForm(81)),
  ],
  'keys of borders': [bordersKey(ID, 'v'), bordersKey(OTHER, 'v'), bordersKey(ID, 'w')],
  tags: [
    tagOf({ id: ID, version: 'v' }, coverForm(THUMBNAIL)),
    tagOf({ id: OTHER, version: 'v' }, coverForm(THUMBNAIL)),
    tagOf({ id: ID, version: 'w' }, coverForm(THUMBNAIL)),
    tagOf({ id: ID, version: 'v' }, coverForm({ ...THUMBNAIL, side: 401 })),
    tagOf({ id: ID, version: 'v' }, `1-${pageForm(80)}`),
    tagOf({ id: ID, version: 'v' }, `1-${pageForm(81)}`),
  ],
};

const IMAGE_END = new RegExp(`q\\d+\\.(?:${IMAGE_RULES.page}|${IMAGE_RULES.cover})$`);
const PAGES_START = `${STORED_RULES.pages}.`;

block('cache keys and tags', (check) => {
  for (const [what, all] of Object.entries(DIFFERENT))
    check(`${what} differ in everything they are made of`, () => assert.is(new Set(all).size, all.length));
  check('the version of a book begins with the page rule, and the form of an image ends with the image rule', () => {
    assert.ok(versionOf(0, 10, 20).startsWith(PAGES_START));
    for (const form of [coverForm(THUMBNAIL), pageForm(80)]) assert.match(form, IMAGE_END);
  });
  check('each tag and each key of the cache that the engine makes carries them', async () => {
    const temp = await tempApp();
    try {
      const keys: string[] = [];
      const { blobs } = temp.app;
      const { put } = blobs;
      blobs.put = (key, bytes) => {
        keys.push(key);
        return put.call(blobs, key, bytes);
      };
      const token = await temp.tokenOf('admin');
      writeBook(join(temp.shelf, 'Alpha', 'One.cbz'), 2, 'one');
      writeBook(join(temp.shelf, 'Beta', 'Two.cbz'), 1, 'two');
      const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
      assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const idOf = async (path: string): Promise<string> =>
        (await temp.call('GET', `/api/v1/${path}`, { token })).json.data[0].id;
      const [book, series] = [await idOf('books?sort=title'), await idOf('series?sort=name')];
      const tag = async (path: string): Promise<string> => {
        const { status, header } = await temp.call('GET', `/api/v1/${path}`, { token });
        assert.is(status, 200, path);
        return (header('etag') ?? '').replaceAll('"', '');
      };
      const image = await temp.call('GET', `/api/v1/books/${book}/pages/1?format=jpeg`, { token });
      writeFileSync(join(temp.shelf, 'Alpha', 'cover.jpg'), image.bytes);
      const { id } = (await temp.call('GET', '/api/v1/libraries', { token })).json.data[0];
      await temp.call('POST', `/api/v1/libraries/${id}/scan`, { token });
      await until('the picture beside the books is known', () => temp.app.scans.active().length === 0);
      const original = await tag(`books/${book}/pages/1`);
      const images = [
        await tag(`books/${book}/pages/1?format=webp`),
        await tag(`books/${book}/thumbnail`),
        await tag(`series/${series}/thumbnail`),
      ];
      for (const one of [original, ...images]) assert.is(one.split('-')[1]?.startsWith(PAGES_START), true, one);
      for (const one of images) assert.match(one, IMAGE_END);
      assert.match(images[2] ?? '', new RegExp(`^${series.slice(-12)}-.*-pc`), 'the picture beside the books');
      await until('all is cached', () => keys.length >= 5 && new Set(keys.map((key) => key.split('/')[0])).size === 2);
      for (const key of keys) {
        const parts = key.split('/');
        assert.ok(parts[2]?.startsWith(PAGES_START), key);
        assert.match(parts.at(-1) ?? '', IMAGE_END);
      }
      assert.ok(keys.length >= 5, keys.join());
      assert.equal(temp.faults, []);
    } finally {
      await temp.close();
    }
  });
});
