// How much of a file's metadata is kept: limits for each field, each list and the whole book.
import { bytesOfFacts, FACT_LIMITS, FACTS_BYTES_MAX } from '../../core/model/fact-limits.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { readComicInfo } from '../../workers/metadata/comicinfo.js';
import { mergeMetadata } from '../../workers/metadata/merge.js';
import { readOpf } from '../../workers/metadata/opf.js';
import { readSeriesJson } from '../../workers/metadata/series-json.js';
import { assert, block } from '../kit.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const comicInfo = (fields: Readonly<Record<string, string>>): EmbeddedMetadata => {
  const inner = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`);
  const found = readComicInfo(bytes(`<ComicInfo>${inner.join('')}</ComicInfo>`));
  if (found === null) throw new Error('nothing was read');
  return found;
};

const many = (count: number, name: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => name(index)).join(', ');

block('limits of metadata', (check) => {
  check('a name is cut, and never in the middle of a character', () => {
    const { book, series } = comicInfo({ Title: `${'x'.repeat(499)}😀`, Publisher: 'P'.repeat(99_000) });
    assert.is(book.title, 'x'.repeat(499));
    assert.is(book.publisher?.length, 500);
    assert.is(series.publisher?.length, 500);
  });
  check('a summary is cut later than a name', () => {
    assert.is(comicInfo({ Summary: 's'.repeat(99_000) }).book.summary?.length, 20_000);
    const series = readSeriesJson(bytes(JSON.stringify({ metadata: { description_text: 's'.repeat(30_000) } })));
    assert.is(series?.series.summary?.length, 20_000);
  });
  check('a description made of many elements with nothing but spaces between them is short', () => {
    const { book } = comicInfo({ Title: 'T', Summary: `one<b> </b>${'<b> </b>'.repeat(40_000)}two<br/> <br/>three` });
    assert.is(book.summary, 'one two\nthree');
  });
  check('a number that is too long counts as absent', () => {
    const { book } = comicInfo({ Title: 'T', Number: '1'.repeat(51) });
    assert.is(book.number, null);
  });
  check('lists are cut at their limit, and joined names after a whole name', () => {
    const found = comicInfo({ Writer: many(900, (n) => `W${n}`), Genre: many(900, (n) => `genre number ${n}`) });
    assert.is(found.book.authors.length, FACT_LIMITS.authors);
    assert.is(found.series.genres.length, FACT_LIMITS.terms);
    assert.match(found.book.genre ?? '', /, genre number \d+$/);
    assert.ok((found.book.genre ?? '').length <= FACT_LIMITS.names);
  });
  check('the sort names and titles in attributes have the limits of names', () => {
    const long = 'x'.repeat(2000);
    const found = readOpf(
      bytes(
        `<package><metadata><title file-as="${long}">T</title><creator file-as="${long}">Ann</creator></metadata></package>`,
      ),
    );
    assert.is(found?.book.titleSort?.length, 500);
    assert.is(found?.book.authors[0]?.sortName?.length, 500);
  });
  check('all facts of one book together fit the limit in bytes, however they are distributed', () => {
    const found = comicInfo({
      Title: '長'.repeat(99_000),
      Summary: '要'.repeat(99_000),
      Writer: many(500, (n) => `W${n}${'n'.repeat(300)}`),
      Editor: many(500, (n) => `E${n}${'n'.repeat(300)}`),
      Tags: many(500, (n) => `${n}${'t'.repeat(400)}`),
    });
    const merged = mergeMetadata(found, comicInfo({ Genre: many(500, (n) => `${n}${'g'.repeat(300)}`) }));
    for (const one of [found, merged]) {
      assert.ok(bytesOfFacts(one?.book ?? {}) <= FACTS_BYTES_MAX, `${bytesOfFacts(one?.book ?? {})} bytes of the book`);
      assert.ok(bytesOfFacts(one?.series ?? {}) <= FACTS_BYTES_MAX, 'the series');
      assert.is(one?.book.title?.length, 500, 'the largest field is cut first');
    }
  });
  check('a large but honest description stays as it is', () => {
    const fields = {
      Title: 'T'.repeat(300),
      Summary: 'A long summary. '.repeat(300).trim(),
      Writer: many(100, (n) => `Writer Number ${n}`),
      Tags: many(200, (n) => `tag number ${n}`),
    };
    const { book, series } = comicInfo(fields);
    assert.equal([book.title, book.summary], [fields.Title, fields.Summary]);
    assert.is(book.authors.length, 100);
    assert.is(series.tags.length, 200);
  });
});
