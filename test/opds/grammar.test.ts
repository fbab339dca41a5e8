// Feeds of OPDS 1.2 against its grammar (RELAX NG), by jing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { hasCommand } from '../commands.js';
import { assert, block } from '../kit.js';
import { local } from './reader.js';
import { type OpdsShelf, opdsShelf } from './shelf.js';
import { feedIn } from './xml.js';

const GRAMMAR = fixture('schemas/opds1/opds.rnc');
const isThere = hasCommand('jing');

let shelf: OpdsShelf;
let folder = '';

/** What jing says of documents; empty when nothing is wrong. */
const faultsIn = (documents: readonly string[]): string => {
  const files = documents.map((text, at) => {
    const file = join(folder, `${at}.xml`);
    writeFileSync(file, text);
    return file;
  });
  const { stdout, status } = spawnSync('jing', ['-c', GRAMMAR, ...files], { encoding: 'utf8' });
  return status === 0 ? '' : stdout.slice(0, 2000);
};

const textAt = async (path: string): Promise<string> => (await shelf.get(path)).bytes.toString();

block(
  'OPDS 1.2 by its grammar',
  (check) => {
    if (!isThere) {
      check.skip('all feeds that the start leads to', 'it needs jing (Debian packages jing and libjing-java)');
      return;
    }
    check('all feeds that the start leads to are valid, and so is a book alone', async () => {
      await shelf.api('PUT', `/books/${shelf.books[1]}/progress`, { current_page: 3 });
      await shelf.api('POST', '/want-to-read/bulk', { bookIds: shelf.books, seriesIds: [...shelf.series.values()] });
      const start = await textAt('/opds/v1.2');
      const places = feedIn(start).entries.flatMap(({ links }) => links.map(({ href }) => local(href)));
      const deeper = [...shelf.series.values()].map((id) => `/opds/v1.2/series/${id}`);
      const more = [
        '/opds/v1.2/search?q=zot',
        `/opds/v1.2/libraries/${shelf.library}`,
        `/opds/v1.2/books/${shelf.books[0]}`,
      ];
      const texts = await Promise.all([...places, ...deeper, ...more].map(textAt));
      assert.is(faultsIn([start, ...texts]), '');
    });
    check('a feed without its time is not', async () => {
      const text = await textAt('/opds/v1.2/recent');
      assert.match(faultsIn([text.replace(/<updated>.*?<\/updated>/, '')]), 'updated');
    });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-grammar-'));
      shelf = await opdsShelf();
    },
    after: async () => {
      await shelf.temp.close();
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
