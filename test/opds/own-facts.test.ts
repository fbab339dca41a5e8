// What feeds say about a book comes from the book itself. Its neighbours in the series speak for it only if they agree, or somebody does.
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const info = (fields: string): { name: string; bytes: Buffer } => ({
  name: 'ComicInfo.xml',
  bytes: Buffer.from(`<ComicInfo>${fields}</ComicInfo>`),
});

interface Entry {
  readonly metadata: Readonly<Record<'title' | 'publisher' | 'language' | 'subject', unknown>>;
}

let temp: TempApp;
let token: string;

const api = (method: string, path: string, body?: unknown) =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const seriesId = async (title: string): Promise<string> =>
  (await api('GET', '/series')).json.data.find((one: { title: string }) => one.title === title)?.id;

/** Publisher, language and subjects of each book in OPDS 2, and the categories of each in OPDS 1.2, by title. */
const saidOf = async (series: string): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const feed = await temp.call('GET', `/opds/v2/series/${await seriesId(series)}`, { token });
  const atom = await temp.call('GET', `/opds/v1.2/series/${await seriesId(series)}`, { token });
  const entries = atom.bytes.toString().split('<entry>').slice(1);
  return Object.fromEntries(
    feed.json.publications.map(({ metadata: { title, publisher, language, subject } }: Entry, at: number) => [
      title,
      [publisher, language, subject, entries[at]?.includes('<category')],
    ]),
  );
};

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  const write = (name: string, fields: string): void =>
    writeBook(join(temp.shelf, `${name}.cbz`), 2, name, fields === '' ? [] : [info(fields)]);
  write('Mixed/Mixed 1', '<Publisher>Ants Press</Publisher><Genre>Horror</Genre><LanguageISO>en</LanguageISO>');
  write('Mixed/Mixed 2', '<Publisher>Bees Press</Publisher><Tags>bees</Tags><LanguageISO>en</LanguageISO>');
  write('Mixed/Mixed 3', '');
  write('Alike/Alike 1', '<Publisher>Ants Press</Publisher><Genre>Horror</Genre>');
  write('Alike/Alike 2', '<Publisher>ANTS Press</Publisher>');
  write('Alike/Alike 3', '');
  await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
};

block(
  'facts of books in feeds',
  (check) => {
    check('a book without facts has none of neighbours that differ', async () => {
      assert.equal(await saidOf('Mixed'), {
        'Mixed 1': ['Ants Press', 'en', ['Horror'], true],
        'Mixed 2': ['Bees Press', 'en', ['bees'], true],
        'Mixed 3': [undefined, 'en', undefined, false],
      });
    });
    check('it has the publisher on which they agree, but no subjects', async () => {
      assert.equal((await saidOf('Alike'))['Alike 3'], ['Ants Press', undefined, undefined, false]);
    });
    check('what somebody sets on the series counts for its books, except where they say otherwise', async () => {
      const id = await seriesId('Mixed');
      assert.is((await api('PATCH', `/series/${id}/metadata`, { publisher: 'Cats Press' })).status, 200);
      assert.is((await api('PUT', `/series/${id}/genres`, { genres: ['Comedy'] })).status, 200);
      const said = await saidOf('Mixed');
      assert.equal(said['Mixed 3'], ['Cats Press', 'en', ['Comedy'], true]);
      assert.equal(said['Mixed 1'], ['Ants Press', 'en', ['Comedy', 'Horror'], true]);
    });
  },
  { before: stock, after: () => temp.close() },
);
