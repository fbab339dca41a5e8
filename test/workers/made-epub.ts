// EPUBs made for a test, and what the analysis of one finds.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { assert } from '../kit.js';
import { analysed } from './analysed.js';

export const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
export interface Read {
  readonly kind: string | null;
  readonly count: number;
  readonly names: readonly string[];
  readonly sizes: readonly string[];
  readonly blank: readonly number[];
  readonly title: string | null;
  /** The index of the page that is the cover; null: the first. */
  readonly front: number | null;
}

export const readBook = async (path: string): Promise<Read> => {
  const { pageTable, fault, epubKind, pageCount, metadata } = await analysed(path);
  assert.equal(fault, null);
  const table = new PageTable(pageTable ?? new Uint8Array());
  const entries = Array.from({ length: table.pageCount }, (_, index) => table.entry(index));
  return {
    kind: epubKind,
    count: pageCount,
    names: table.names(),
    sizes: entries.map((entry) => `${entry?.width}x${entry?.height}`),
    blank: entries.flatMap((entry, index) => (entry?.method === METHOD.blank ? [index + 1] : [])),
    title: metadata?.book.title ?? null,
    front: table.front,
  };
};

export const readCase = (name: string): Promise<Read> => readBook(fixture(`cases/${name}.epub`));

export type Files = Readonly<Record<string, string | Uint8Array>>;

export const containerFor = (path: string): string =>
  `<container><rootfiles><rootfile full-path="${path}" media-type="application/oebps-package+xml"/></rootfiles></container>`;

/** Each file as it is given. */
export const madeOf = (folder: string, files: Files): string => {
  const path = join(folder, 'made.epub');
  writeFileSync(
    path,
    writeZip(Object.entries(files).map(([name, content]) => ({ name, bytes: Buffer.from(content) }))),
  );
  return path;
};

export interface Doc {
  readonly body?: string;
  readonly head?: string;
  readonly ref?: string;
  readonly properties?: string;
}

export interface Book {
  readonly meta?: string;
  readonly items?: string;
  readonly guide?: string;
  readonly files?: Files;
}

/** A book with these documents and the images a.png to c.png. */
export const bookOf = (
  folder: string,
  docs: readonly Doc[],
  { meta = '', items = '', guide = '', files = {} }: Book = {},
): string => {
  const manifest = docs
    .map(
      ({ properties = '' }, at) =>
        `<item id="d${at}" href="d${at}.xhtml" media-type="application/xhtml+xml" properties="${properties}"/>`,
    )
    .join('');
  const refs = docs.map(({ ref = '' }, at) => `<itemref idref="d${at}" ${ref}/>`).join('');
  return madeOf(folder, {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': containerFor('p.opf'),
    'p.opf': `<package><metadata><title>T</title>${meta}</metadata><manifest>${manifest}${items}</manifest><spine>${refs}</spine>${guide}</package>`,
    ...Object.fromEntries(
      docs.map(({ body = '', head = '' }, at) => [
        `d${at}.xhtml`,
        `<html><head><title>Long title of page</title>${head}</head><body>${body}</body></html>`,
      ]),
    ),
    'a.png': IMAGE,
    'b.png': IMAGE,
    'c.png': IMAGE,
    ...files,
  });
};

export const picture = (name: string, text = ''): Doc => ({
  body: `<div><img src="${name}.png" alt="A picture of something"/>${text}</div>`,
});
export const COMIC = [picture('a'), picture('b'), picture('c')];
export const IMAGE_ITEMS = ['a', 'b', 'c']
  .map((id) => `<item id="${id}" href="${id}.png" media-type="image/png"/>`)
  .join('');

/** Words that nobody would leave out. */
export const SENTENCE = '<p>One day the little bear went out to look for honey.</p>';
