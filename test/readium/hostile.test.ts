// EPUBs made to mislead: names that lead elsewhere, sizes that lie, damaged headers, broken navigation, very many files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { type Answer, type TempApp, tempApp, until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { differencesFrom, WEB_PUBLICATION } from '../published-schemas.js';

/** With the three files that every EPUB has, as many as are read of one archive. */
const MANY = 19_997;

interface Made {
  readonly manifest: string;
  readonly spine: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly guide?: string;
}

const CONTAINER = '<container><rootfiles><rootfile full-path="O/p.opf"/></rootfiles></container>';

const epub = ({ manifest, spine, files, guide = '' }: Made): Buffer =>
  Buffer.from(
    writeZip([
      { name: 'mimetype', bytes: Buffer.from('application/epub+zip') },
      { name: 'META-INF/container.xml', bytes: Buffer.from(CONTAINER) },
      {
        name: 'O/p.opf',
        bytes: Buffer.from(
          `<package version="3.0"><metadata><title>T</title></metadata><manifest>${manifest}</manifest><spine>${spine}</spine>${guide}</package>`,
        ),
      },
      ...files,
    ]),
  );

const file = (name: string, text: string) => ({ name, bytes: Buffer.from(text) });
const item = (id: string, href: string, type = 'application/xhtml+xml', more = ''): string =>
  `<item id="${id}" href="${href}" media-type="${type}" ${more}/>`;
const ref = (id: string): string => `<itemref idref="${id}"/>`;

const CHAPTER = '<html><body><p>Text.</p></body></html>';

/** The header of an entry in the file, found by its name. */
const headerOf = (zip: Buffer, name: string): number => zip.indexOf(name) - 30;

const spoiled = (zip: Buffer, change: (zip: Buffer) => void): Buffer => {
  change(zip);
  return zip;
};

const SMALL: Made = {
  manifest:
    item('c', 'c.xhtml') +
    item('s', 'run.js', 'application/javascript') +
    item('e', 'empty.css', 'text/css') +
    item('x', 'odd.bin', 'text/html\r\nX-Evil: 1') +
    item('m', 'several.txt', 'multipart/x-mixed-replace') +
    item('n', 'nav.xhtml', 'application/xhtml+xml', 'properties="nav"') +
    item('w', 'WRONG.xhtml'),
  spine: ref('c') + ref('w'),
  guide:
    '<guide><reference type="text" title="Start" href="c.xhtml#top"/><reference type="cover" href="../../etc"/></guide>',
  files: [
    file('O/c.xhtml', CHAPTER),
    file('O/run.js', 'alert(1)'),
    file('O/empty.css', ''),
    file('O/odd.bin', 'odd'),
    file('O/several.txt', '--b\r\nContent-Type: text/html\r\n\r\n<p/>'),
    file('O/wrong.xhtml', CHAPTER),
    file(
      'O/nav.xhtml',
      '<html><nav epub:type="toc"><ol><li><a href="c.xhtml">One</a><li><span>Two</span><ol><li><a href="../../x">',
    ),
    file('../outside.txt', 'outside'),
    file('/absolute.txt', 'absolute'),
    file('O/a?b#c %.txt', 'signs'),
  ],
};

const withChapters = (count: number): Buffer =>
  epub({
    manifest: Array.from({ length: count }, (_, n) => item(`i${n}`, `t/${n}.xhtml`)).join(''),
    spine: Array.from({ length: count }, (_, n) => ref(`i${n}`)).join(''),
    files: Array.from({ length: count }, (_, n) => file(`O/t/${n}.xhtml`, '<p/>')),
  });

const BOOKS: Readonly<Record<string, () => Buffer>> = {
  'small.epub': () => epub(SMALL),
  'no-header.epub': () =>
    spoiled(epub(SMALL), (zip) => zip.fill(0, headerOf(zip, 'O/run.js'), headerOf(zip, 'O/run.js') + 4)),
  'long-header.epub': () =>
    spoiled(epub(SMALL), (zip) => void zip.writeUInt16LE(0xffff, headerOf(zip, 'O/run.js') + 28)),
  'many.epub': () => withChapters(MANY),
  'too-many.epub': () => withChapters(MANY + 1),
};

let temp: TempApp;
let token: string;
const ids = new Map<string, string>();

const get = (name: string, path: string): Promise<Answer> =>
  temp.call('GET', `/api/v1/books/${ids.get(name)}/${path}`, { token, headers: { host: 'h' } });

const jsonOf = ({ bytes }: Answer) => JSON.parse(bytes.toString());

const checks = (check: Check): void => {
  check('scripts are sent as text, and a type that is none as nothing in particular', async () => {
    assert.is((await get('small.epub', 'resource/O/run.js')).header('content-type'), 'text/plain');
    assert.is((await get('small.epub', 'resource/O/odd.bin')).header('content-type'), 'text/html');
    const several = await get('small.epub', 'resource/O/several.txt');
    assert.is(several.header('content-type'), 'application/octet-stream');
  });

  check('an empty part is empty', async () => {
    const answer = await get('small.epub', 'resource/O/empty.css');
    assert.equal([answer.status, answer.bytes.length, answer.header('content-type')], [200, 0, 'text/css']);
  });

  check('names that lead elsewhere are names of entries, or nothing', async () => {
    for (const path of ['../outside.txt', '..%2Foutside.txt', '%2e%2e%2foutside.txt'])
      assert.ok([200, 404].includes((await get('small.epub', `resource/${path}`)).status), path);
    assert.is((await get('small.epub', 'resource/..%2Foutside.txt')).bytes.toString(), 'outside');
    assert.is((await get('small.epub', 'resource/%2Fabsolute.txt')).bytes.toString(), 'absolute');
    for (const path of ['..%2F..%2Fetc%2Fpasswd', '%2Fetc%2Fpasswd', '..%2Fsmall.epub'])
      assert.is((await get('small.epub', `resource/${path}`)).status, 404, path);
  });

  check('signs of addresses in a name are escaped once', async () => {
    const path = encodeURIComponent('a?b#c %.txt');
    assert.is((await get('small.epub', `resource/O/${path}`)).bytes.toString(), 'signs');
    assert.is((await get('small.epub', `resource/O/${encodeURIComponent(path)}`)).status, 404);
  });

  check('a broken table of contents is read as far as it goes; the guide gives landmarks', async () => {
    const manifest = jsonOf(await get('small.epub', 'manifest'));
    assert.equal(differencesFrom(WEB_PUBLICATION, manifest), []);
    assert.is(manifest.toc[0].title, 'One');
    assert.equal(
      manifest.landmarks.map(({ title }: { title: string }) => title),
      ['Start'],
    );
    assert.match(manifest.landmarks[0].href, /\/resource\/O\/c\.xhtml#top$/);
    assert.match(manifest.readingOrder[1].href, /\/O\/wrong\.xhtml$/);
  });

  check('a part without its header, or with one that reaches beyond the file, is 422 each time', async () => {
    for (const name of ['no-header.epub', 'long-header.epub'])
      for (let times = 0; times < 2; times += 1) {
        const answer = await get(name, 'resource/O/run.js');
        assert.equal([answer.status, answer.json.error], [422, 'CorruptPage'], name);
        assert.is((await get(name, 'resource/O/c.xhtml')).status, 200);
      }
  });

  check(`${MANY} parts: the manifest and the positions have them all`, async () => {
    const answer = await get('many.epub', 'manifest');
    assert.is(answer.status, 200, answer.bytes.toString().slice(0, 300));
    const manifest = jsonOf(answer);
    assert.is(manifest.readingOrder.length, MANY);
    const { total, positions } = jsonOf(await get('many.epub', 'positions'));
    assert.equal([total, positions.length], [MANY, MANY]);
    assert.is((await get('many.epub', `resource/O/t/${MANY - 1}.xhtml`)).bytes.toString(), '<p/>');
    const more = await get('too-many.epub', 'manifest');
    assert.equal([more.status, more.json.error], [422, 'LimitExceeded']);
  });
};

block('misleading EPUBs', checks, {
  before: async () => {
    temp = await tempApp();
    token = await temp.tokenOf('admin');
    mkdirSync(join(temp.shelf, 'S'), { recursive: true });
    for (const [name, made] of Object.entries(BOOKS)) writeFileSync(join(temp.shelf, 'S', name), made());
    const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
    await temp.call('POST', '/api/v1/libraries', { token, body });
    const active = () => temp.call('GET', '/api/v1/scans/active', { token });
    await until('the scan ends', async () => (await active()).json.length === 0, 60_000);
    const { json } = await temp.call('GET', '/api/v1/books', { token });
    for (const { id, path } of json.data) ids.set(path.split('/').at(-1), id);
  },
  after: () => temp.close(),
  deadlineS: 120,
});
