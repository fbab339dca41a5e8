// Malicious files in a library: scans end, memory stays bounded, readers go on, and every request for them is answered.
import { closeSync, copyFileSync, mkdirSync, openSync, readdirSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeZip } from '../../../bench/zip-writer.js';
import { fixture } from '../../../fixtures/index.js';
import { type Asked, inWords } from '../ask.js';
import { amongReaders } from '../honest.js';
import type { Kind, Scene } from '../kind.js';
import { plainPage, writePlainBook, writeZipFile } from '../library.js';
import type { Target } from '../target.js';

const WORST = [
  'bomb-512mb-entry.cbz',
  'bomb-lying-size.cbz',
  'bomb-png-page.cbz',
  'huge-page.cbz',
  'loop.cbr',
  'evil-symlink.cbr',
  'lying-entry-count.cbz',
  'zip-overlapping-entries.cbz',
  'zip-cd-past-eof.cbz',
  'comicinfo-xxe.cbz',
  'epub-opf-xxe.epub',
  'pdf-bomb-giant.pdf',
  'pdf-pages-loop.pdf',
  'giant-page.pdf',
  'malformed-512.cbr',
];

const SPARSE_BYTES = 100 * 1024 ** 3;
const ATTRIBUTES = 300_000;

/** A sparse file of 100 GB. */
const writeSparse = (path: string): void => {
  closeSync(openSync(path, 'w'));
  truncateSync(path, SPARSE_BYTES);
};

const writeAttributes = async (path: string): Promise<void> => {
  const attributes = Array.from({ length: ATTRIBUTES }, (_, n) => ` a${n}="1"`).join('');
  const bytes = Buffer.from(`<?xml version="1.0"?><ComicInfo${attributes}><Title>x</Title></ComicInfo>`);
  writeZipFile(path, [
    { name: '1.jpg', bytes: await plainPage(1) },
    { name: 'ComicInfo.xml', bytes, isDeflated: true },
  ]);
};

/** Nested archives, each claiming to be a page. */
const writeNested = (path: string): void => {
  let inner: Buffer = writeZip([{ name: '1.jpg', bytes: Buffer.from('no image') }]);
  for (let depth = 0; depth < 50; depth += 1) inner = writeZip([{ name: 'inner.cbz', bytes: inner }]);
  writeZipFile(path, [{ name: '1.jpg', bytes: inner }]);
};

const REPEATED = 3000;
const IMAGES_BYTES = 4 * 1024 * 1024;

/** An EPUB of a few kilobytes whose reading order names one document of four megabytes many times. */
const writeRepeated = (path: string): void => {
  const image = '<img src="aaaaaaaaaaaaaaaa.jpg"/>';
  const page = `<html xmlns="http://www.w3.org/1999/xhtml"><body>${image.repeat(IMAGES_BYTES / image.length)}</body></html>`;
  const container =
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';
  const opf = `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier><dc:title>x</dc:title><dc:language>en</dc:language></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${'<itemref idref="a"/>'.repeat(REPEATED)}</spine></package>`;
  writeZipFile(path, [
    { name: 'mimetype', bytes: Buffer.from('application/epub+zip') },
    { name: 'META-INF/container.xml', bytes: Buffer.from(container), isDeflated: true },
    { name: 'p.opf', bytes: Buffer.from(opf), isDeflated: true },
    { name: 'a.xhtml', bytes: Buffer.from(page), isDeflated: true },
  ]);
};

const TEXT_FIELDS = ['Title', 'Series', 'Summary', 'Notes', 'Writer', 'Penciller', 'Publisher', 'Genre', 'Tags', 'Web'];
const TEXT_CHARACTERS = 100_000;

/** Metadata that fills every field. */
const writeWordy = async (path: string): Promise<void> => {
  const fields = TEXT_FIELDS.map((name) => `<${name}>${'word, '.repeat(TEXT_CHARACTERS / 6)}</${name}>`).join('');
  writeZipFile(path, [
    { name: '1.jpg', bytes: await plainPage(2) },
    { name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${fields}</ComicInfo>`), isDeflated: true },
  ]);
};

const makePoison = async ({ folder, isLarge }: Scene): Promise<string> => {
  const shelf = join(folder, 'poison');
  const books = join(shelf, 'Poison');
  mkdirSync(books, { recursive: true });
  const names = isLarge ? readdirSync(dirname(fixture('books/six-pages.cbz'))) : WORST;
  for (const name of names) copyFileSync(fixture(`books/${name}`), join(books, name));
  writeNested(join(books, 'nested.cbz'));
  writeRepeated(join(books, 'repeated.epub'));
  for (let n = 0; n < (isLarge ? 200 : 20); n += 1) await writeWordy(join(books, `wordy ${n}.cbz`));
  if (!isLarge) return shelf;
  writeSparse(join(books, 'sparse.cbz'));
  await writeAttributes(join(books, 'attributes.cbz'));
  return shelf;
};

const ANSWER_MS = 70_000;

/** Requests the first pages of every malicious book in a new size; no answer may be a server fault. */
const askAll = async ({ report }: Scene, target: Target): Promise<void> => {
  const books = (await target.books()).filter(({ path }) => path.includes('/Poison/'));
  const lists = ['/books?full=true&pageSize=500', '/series?full=true&pageSize=500'];
  const paths = [
    ...lists,
    ...books.flatMap(({ id }) => [`/books/${id}/pages/1`, `/books/${id}/pages/1?width=123`, `/books/${id}/thumbnail`]),
  ];
  const answers: Asked[] = [];
  for (let at = 0; at < paths.length && target.death === null; at += 6)
    answers.push(
      ...(await Promise.all(paths.slice(at, at + 6).map((path) => target.api(path, { deadlineMs: ANSWER_MS })))),
    );
  const wrong = answers.filter(({ status }) => status === 0 || status === 500);
  report.judge(
    wrong.length === 0,
    `${answers.length} requests for them were answered`,
    `requests for them met ${inWords(wrong)}`,
  );
};

/** The ceiling is meant for two threads. The compiled readers of each further thread keep about 55 MB. */
const THREADS = { SVC_POOL__THREADS: '2' };

const run = async (scene: Scene): Promise<void> => {
  const [sound, data] = [join(scene.folder, 'sound'), join(scene.folder, 'data')];
  for (let n = 0; n < 3; n += 1) await writePlainBook(join(sound, 'Sound', `Sound ${n}.cbz`), n + 70);
  const target = await scene.start({ data, shelves: [sound], environment: THREADS });
  const poison = await makePoison(scene);
  const body = { name: 'Poison', path: poison, scanImmediately: true };
  await amongReaders(scene, target, 'a library of malicious files', async () => {
    await target.api('/libraries', { method: 'POST', body });
    await target.settled(scene.isLarge ? 180_000 : 30_000);
    await askAll(scene, target);
  });
  const count = (await target.books()).length;
  scene.report.tried.push(`a scan of ${count - 3} malicious files, and their pages`);
};

export const poison: Kind = { name: 'poison', concerns: 'engine', hindrance: () => null, run };
