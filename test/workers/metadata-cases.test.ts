// Metadata as other programs write it, in whole books: the analysis finds what the reports about other servers say it should.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const factsOf = async (path: string) => {
  const { metadata, fault } = await analysed(path);
  assert.is(fault, null);
  return metadata;
};
const caseOf = (name: string) => factsOf(fixture(`cases/${name}`));

const unpacked = async (name: string, read: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-beside-'));
  try {
    execFileSync('tar', ['xzf', fixture(`cases/${name}`), '-C', folder]);
    await read(join(folder, 'Ann', 'Book (1)'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

block('metadata in books of other programs', (check) => {
  check('white space in a package is one space', async () => {
    const found = await caseOf('white-space-in-opf.epub');
    assert.equal(
      [found?.book.title, found?.book.authors[0]?.name, found?.book.publisher, found?.book.subjects],
      ['The Very Long Title', 'Ann Author', 'Pub House', ['Fan tasy']],
    );
  });
  check("calibre's evening in UTC is the next day", async () => {
    const book = (await caseOf('date-calibre-new-year-cet.epub'))?.book;
    assert.equal([book?.year, book?.month, book?.day], [2019, 1, 1]);
  });
  check("calibre's packet in a PDF has series, number, date and authors", async () => {
    const book = (await caseOf('pdf-calibre-xmp.pdf'))?.book;
    assert.equal(
      [book?.series, book?.number, book?.year, book?.month, book?.day, book?.titleSort, book?.summary],
      ['Cal Series', '3', 2019, 5, 6, 'Title, Cal', 'A story'],
    );
    assert.equal(
      book?.authors.map(({ name }) => name),
      ['Ann Author', 'Bob Builder'],
    );
  });
  check('a day without a month is no date', async () => {
    const book = (await caseOf('comicinfo-day-without-month.cbz'))?.book;
    assert.equal([book?.year, book?.month, book?.day], [2021, null, null]);
  });
  check('East Asian commas separate', async () => {
    const found = await caseOf('comicinfo-east-asian-commas.cbz');
    assert.equal(
      [found?.book.authors.map(({ name }) => name), found?.series.genres, found?.series.tags],
      [
        ['山田太郎', '鈴木花子'],
        ['热血', '冒险', '恋爱'],
        ['校园', '百合'],
      ],
    );
  });
  check('HTML in a summary becomes text', async () => {
    assert.is((await caseOf('comicinfo-html-summary.cbz'))?.book.summary, 'Hello & bye\nnext');
  });
  check('a country in place of a language', async () => {
    assert.is((await caseOf('language-jp.cbz'))?.book.languageIso, 'ja');
  });
  check('metadata.opf beside a file that macOS left', () =>
    unpacked('opf-beside-appledouble.tar.gz', async (folder) => {
      const book = (await factsOf(join(folder, 'Book.epub')))?.book;
      assert.equal([book?.title, book?.authors[0]?.name], ['Sidecar Title', 'Sidecar Author']);
    }),
  );
  check('metadata.opf beside both editions of one book', () =>
    unpacked('opf-beside-kepub.tar.gz', async (folder) => {
      for (const name of ['Book.epub', 'Book.kepub.epub'])
        assert.is((await factsOf(join(folder, name)))?.book.title, 'Sidecar Title');
      // A second book of another name: whose description it is cannot be known.
      writeFileSync(join(folder, 'Other.kepub.epub'), 'x');
      assert.is((await factsOf(join(folder, 'Book.epub')))?.book.title, 'Inner');
    }),
  );
  check('metadata.opf beside hidden books and folders; an OPF of the stem serves both editions', () =>
    unpacked('opf-beside-kepub.tar.gz', async (folder) => {
      writeFileSync(join(folder, '.Draft.epub'), 'x');
      execFileSync('mkdir', [join(folder, 'Unpacked.epub')]);
      assert.is((await factsOf(join(folder, 'Book.epub')))?.book.title, 'Sidecar Title');
      writeFileSync(join(folder, 'Book.opf'), '<package><metadata><title>By stem</title></metadata></package>');
      for (const name of ['Book.epub', 'Book.kepub.epub'])
        assert.is((await factsOf(join(folder, name)))?.book.title, 'By stem');
    }),
  );
});
