// The cover of a book without a picture, as every app and browser gets it: its title and author, in any script, as a JPEG.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { ask } from '../system/ask-program.js';
import { type Program, startProgram } from '../system/program.js';
import { containerFor } from '../workers/made-epub.js';
import { ADMIN, type Answer, App, basicOf, type Headers } from './app-server.js';

/** Two texts of each script: where a font lacks letters, their cards would be the same. */
const TITLES = {
  latin: ['Größe', 'Fjörð'],
  vietnamese: ['ếế', 'ộộ'],
  greek: ['Λόγος', 'Γνώση'],
  cyrillic: ['Война', 'Идиот'],
  han: ['漢字', '書物'],
  kana: ['こころ', 'はなび'],
  hangul: ['한국', '이야'],
} as const;

/** In the fonts of the machine, which may have none. */
const OTHERS = ['ألف ليلة', 'ספר', 'मालगुडी', 'นิทาน', '<b>&amp; & "x"', '😀', 'W'.repeat(300)];

const xml = (text: string): string => text.replace(/[&<]/g, (char) => `&#${char.charCodeAt(0)};`);

const epubOf = (title: string): Uint8Array =>
  writeZip(
    Object.entries({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf': `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>${xml(title)}</dc:title><dc:creator>Ann Writer</dc:creator></metadata><manifest><item id="d" href="d.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="d"/></spine></package>`,
      'd.xhtml': `<html><body><p>${'Words of a long story. '.repeat(200)}</p></body></html>`,
    }).map(([name, content]) => ({ name, bytes: Buffer.from(content) })),
  );

const root = mkdtempSync(join(tmpdir(), 'longbox-cards-'));
let program: Program;
let bearer: Headers;
const ids = new Map<string, string>();

const titles: readonly string[] = [...Object.values(TITLES).flat(), ...OTHERS];

const as = (base: string, headers: Headers = {}): App => new App(`${program.address}${base}`, headers);
const basic = { Authorization: basicOf(ADMIN.username, ADMIN.password) };

const start = async (): Promise<void> => {
  mkdirSync(join(root, 'shelf', 'Texts'), { recursive: true });
  for (const [at, title] of titles.entries())
    writeFileSync(join(root, 'shelf', 'Texts', `b${String(at + 1).padStart(2, '0')}.epub`), epubOf(title));
  const cheap = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
  program = await startProgram(['--data', join(root, 'data'), join(root, 'shelf')], cheap);
  await ask(program, 'POST', '/setup/initialize', {}, ADMIN);
  const { json } = await ask(program, 'POST', '/auth/login', {}, ADMIN);
  bearer = { Authorization: `Bearer ${json.access_token ?? json.accessToken}` };
  await until('every book is analysed', async () => {
    const { data } = (await as('/api/v1', bearer).send('GET', '/books?pageSize=100')).json;
    for (const { id, path } of data) ids.set(titles[Number(/b(\d+)\.epub$/.exec(path)?.[1]) - 1] ?? '', id);
    return data.length === titles.length && data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
  });
};

const card = (title: string, accept = '*/*'): Promise<Answer> =>
  as('/api/v1', { ...bearer, Accept: accept }).image(`/books/${ids.get(title)}/thumbnail`);

const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const isJpeg = ({ bytes, header }: Answer): boolean =>
  header('content-type') === 'image/jpeg' && bytes.subarray(0, 3).equals(JPEG);

const looks = (check: Check): void => {
  for (const [script, [one, other]] of Object.entries(TITLES))
    check(`${script} letters are drawn on every machine`, async () => {
      const [a, b] = [await card(one), await card(other)];
      assert.ok(isJpeg(a) && isJpeg(b));
      assert.not.ok(a.bytes.equals(b.bytes), 'letters that no font has would look the same');
    });
  check('a title in any other script, of signs or of one long word has a card', async () => {
    for (const title of OTHERS) assert.ok(isJpeg(await card(title)), title);
  });
};

const served = (check: Check): void => {
  const [title] = TITLES.latin;
  check('it is a JPEG unless Accept names SVG, which browsers do', async () => {
    for (const accept of ['*/*', 'image/*', 'image/jpeg, image/png', 'image/avif,*/*', 'image/svg+xml;q=0, */*']) {
      const answer = await card(title, accept);
      assert.ok(isJpeg(answer), accept);
      assert.match(answer.header('vary'), /Accept\b/);
    }
    const drawn = await card(title, 'image/avif,image/svg+xml,image/*,*/*;q=0.8');
    assert.is(drawn.header('content-type'), 'image/svg+xml');
    assert.match(drawn.bytes.toString(), />Größe<.*>Ann Writer</s);
    const etag = (await card(title)).header('etag');
    assert.is.not(drawn.header('etag'), etag);
    const again = { ...bearer, 'If-None-Match': etag };
    assert.is((await as('/api/v1', again).send('GET', `/books/${ids.get(title)}/thumbnail`)).status, 304);
  });
  check('reader apps get the same JPEG, of books and of what has only such books', async () => {
    const { bytes } = await card(title);
    const id = ids.get(title) ?? '';
    const svg = { ...basic, Accept: 'image/svg+xml,*/*' };
    for (const path of [`/komga/api/v1/books/${id}/thumbnail`, `/opds/v1.2/books/${id}/thumbnail`])
      for (const headers of [basic, svg]) {
        const answer = await as('', headers).image(path);
        assert.ok(isJpeg(answer) && answer.bytes.equals(bytes), path);
      }
    const { seriesId, libraryId } = (await as('/api/v1', bearer).send('GET', `/books/${id}`)).json;
    for (const path of [`series/${seriesId}`, `libraries/${libraryId}`])
      assert.ok(isJpeg(await as('/komga/api/v1/', basic).image(`${path}/thumbnail`)), path);
    const body = { name: 'Texts', ordered: true, bookIds: [id.replaceAll('-', '')] };
    const list = await as('/komga/api/v1/', basic).send('POST', 'readlists', { body });
    assert.ok((await as('/komga/api/v1/', basic).image(`readlists/${list.json.id}/thumbnail`)).bytes.equals(bytes));
  });
};

block(
  'title cards over HTTP',
  (check) => {
    looks(check);
    served(check);
  },
  {
    before: start,
    after: async () => {
      program.child.kill('SIGTERM');
      await program.ended;
      rmSync(root, { recursive: true, force: true });
    },
  },
);
