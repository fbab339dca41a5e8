// Pages that ask for more memory than there is: refused once, by name, while others are read. One that grows holds a part of the memory alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { type TempApp, tempApp, until } from '../app.js';
import { GREEDY_FILES } from '../attack/files/greedy.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token = '';

const REFUSED = ['pdf-curves.pdf', 'pdf-type-3.pdf', 'pdf-font.pdf', 'pdf-ccitt-columns.pdf'];
/** Holds what it has grown to for as long as it may: groups in groups, each shown twice. */
const ENDLESS = 'pdf-groups.pdf';

/** Decoding all of its coefficients takes more than what counts for nothing. */
const inPasses = (): Promise<Buffer> =>
  sharp({ create: { width: 3200, height: 3200, channels: 3, background: '#345' } })
    .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
    .toBuffer();

block(
  'pages that ask for too much memory',
  (check) => {
    const ask = (path: string, signal?: AbortSignal) =>
      temp.call('GET', `/api/v1${path}`, signal === undefined ? { token } : { token, signal });
    const bookOf = async (name: string): Promise<string> => {
      const { data } = (await ask('/books?pageSize=50')).json;
      return data.find(({ path }: { path: string }) => path.endsWith(`/${name}`)).id;
    };
    const jobs = (name: string): number => {
      const counts = temp.app.pool.tally.jobs.get(name);
      return (counts?.done ?? 0) + (counts?.failed ?? 0);
    };
    check('are in books that a scan lists', async () => {
      temp = await tempApp({ overrides: [{ key: 'pool.threads', text: '4' }] });
      token = await temp.tokenOf('admin');
      const shelf = join(temp.shelf, 'Greedy');
      mkdirSync(shelf, { recursive: true });
      for (const { name, make } of GREEDY_FILES)
        if (REFUSED.includes(name) || name === ENDLESS) writeFileSync(join(shelf, name), await make());
      writeFileSync(join(shelf, 'other.cbz'), writeZip([{ name: '1.jpg', bytes: await inPasses() }]));
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      // The cover of a page that draws without end holds memory that other pages of this kind wait for.
      await until('its covers are tried', () => temp.app.due.covers.active().length === 0, 120_000);
    });
    for (const name of REFUSED)
      check(`${name} is refused in every size by one job`, async () => {
        const id = await bookOf(name);
        let before = 0;
        // An abandoned cover holds its memory until its thread has ended.
        await until(
          'there is memory for the page',
          async () => {
            before = jobs('page');
            return (await ask(`/books/${id}/pages/1?width=400`)).status !== 503;
          },
          60_000,
        );
        for (const query of ['?width=400', '?width=401', '?width=1200', '?width=300&format=webp']) {
          const answer = await ask(`/books/${id}/pages/1${query}`);
          assert.equal([answer.status, answer.json.error], [422, 'LimitExceeded'], `${name}${query}: ${answer.bytes}`);
          assert.match(answer.json.message, /memory.*this server allows/);
        }
        assert.is(jobs('page') - before, 1, name);
      });
    check('a page that was refused is tried again in a much smaller size', async () => {
      const id = await bookOf('pdf-curves.pdf');
      const before = jobs('page');
      for (const width of [200, 190]) assert.is((await ask(`/books/${id}/pages/1?width=${width}`)).status, 422);
      assert.is(jobs('page') - before, 1);
    });
    check(
      'while one grows, a large page of another book is shown, and a third that grows is refused afterwards',
      async () => {
        const [endless, other, curves] = [
          await bookOf(ENDLESS),
          await bookOf('other.cbz'),
          await bookOf('pdf-curves.pdf'),
        ];
        const leaving = new AbortController();
        let isAnswered = false;
        const tried = ask(`/books/${endless}/pages/1?width=500`, leaving.signal).finally(() => {
          isAnswered = true;
        });
        tried.catch(() => undefined);
        const reader = await temp.tokenOf('reader');
        const shown = await temp.call('GET', `/api/v1/books/${other}/pages/1?width=500`, { token: reader });
        assert.is(shown.status, 200, shown.bytes.toString('latin1').slice(0, 300));
        assert.is(isAnswered, false);
        const refused = await ask(`/books/${curves}/pages/1?width=90`);
        // It waited for the memory that the first one held, and had all of its own time afterwards.
        assert.equal([refused.status, refused.json.error], [422, 'LimitExceeded'], refused.bytes.toString('latin1'));
        leaving.abort();
        await tried.catch(() => undefined);
      },
    );
  },
  { after: () => temp.close() },
);
