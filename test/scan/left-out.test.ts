// Images that are not pages are counted where the owner looks; folders of deleted books are no books.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { writeOddZip } from '../odd-archives.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const EMPTY =
  'The archive contains no images that can be pages. Images left out: 1; 1 of a type that cannot be shown (psd). Convert psd files to JPEG or PNG to show them as pages.';

block('what scans leave out', (check) => {
  check('trash and earlier versions are no books, and a book tells of images that are no pages', async () => {
    const temp = await tempApp();
    const token = await temp.tokenOf('admin');
    const api = (method: string, path: string, body?: object) =>
      temp.call(method, `/api/v1${path}`, body === undefined ? { token } : { token, body });
    for (const name of ['calibre-trash', 'sync-old-versions']) {
      mkdirSync(join(temp.shelf, name), { recursive: true });
      execFileSync('tar', ['xzf', fixture(`cases/${name}.tar.gz`), '-C', join(temp.shelf, name)]);
    }
    const names = ['1.png', '.extra/2.png'];
    mkdirSync(join(temp.shelf, 'Odd'));
    writeFileSync(
      join(temp.shelf, 'Odd', 'odd.cbz'),
      writeOddZip(names.map((name) => ({ name: Buffer.from(name), bytes: IMAGE }))),
    );
    const drawing = { name: Buffer.from('1.psd'), bytes: Buffer.from('no image') };
    writeFileSync(join(temp.shelf, 'Odd', 'psd.cbz'), writeOddZip([drawing]));
    await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
    await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
    const { json } = await api('GET', '/books?pageSize=50');
    const books: { readonly id: string; readonly path: string }[] = json.data;
    assert.equal(books.map(({ path }) => path.split('/').at(-1)).sort(), [
      'Book 01.cbz',
      'Book One.epub',
      'odd.cbz',
      'psd.cbz',
    ]);
    const odd = books.find(({ path }) => path.endsWith('odd.cbz'));
    const detail = (await api('GET', `/books/${odd?.id}`)).json;
    const message = 'Images left out: 1; 1 hidden by a leading dot (.extra).';
    assert.equal(
      detail.remarks.filter(({ errorType }: { errorType: string }) => errorType === 'other'),
      [{ errorType: 'other', message }],
    );
    assert.ok(JSON.stringify((await api('GET', '/books/errors')).json).includes(message));
    const library = (await api('GET', '/libraries')).json.data[0];
    const status = (await api('GET', `/libraries/${library.id}/scan-status`)).json;
    assert.equal(status.errors.toSorted(), [`Odd/odd.cbz: ${message}`, `Odd/psd.cbz: ${EMPTY}`]);
    const failed = books.find(({ path }) => path.endsWith('psd.cbz'));
    assert.ok(failed);
    assert.ok(JSON.stringify((await api('GET', '/books/errors')).json).includes(EMPTY));
    await temp.close();
  });
});
