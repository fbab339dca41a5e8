// What an EPUB contains (core/model/epub-contents.ts), read anew from its archive: the package, the navigation, the place of each file.
import type { EpubContents, EpubPart } from '../../core/model/epub-contents.js';
import { AppError } from '../../core/model/errors.js';
import type { EpubKind, OutlineEntry } from '../../core/model/outline.js';
import { inFile } from '../../core/model/page-address.js';
import { faultNumber } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import { type Allowance, spend } from './allowance.js';
import { isEpub, spineIn } from './epub.js';
import { namedCovers } from './epub-cover.js';
import { type EpubPackage, isProtected, type ManifestItem, readPackage } from './epub-package.js';
import { EpubEntries } from './epub-paths.js';
import { readLandmarks, readToc } from './epub-toc.js';
import type { OpenContext } from './format.js';
import { openZip } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

/** Characters of paths and media types of the files; those beyond are not served. */
const PARTS_MAX_CHARS = 8_000_000;
/** Characters of the reading order and of all that leads to it. A manifest repeats them with addresses before them. */
const TEXTS_MAX_CHARS = 2_000_000;

/** As the package writes it; parameters and anything else that is no media type are dropped. */
const MEDIA_TYPE = /^[a-z0-9][\w.+-]{0,100}\/[a-z0-9][\w.+-]{0,100}/;

const typesByEntry = (entries: EpubEntries, items: readonly ManifestItem[]): ReadonlyMap<ZipEntry, string> =>
  new Map(
    items.flatMap(({ path, mediaType }) => {
      const entry = entries.at(path);
      const type = MEDIA_TYPE.exec(mediaType)?.[0];
      return entry === undefined || type === undefined ? [] : [[entry, type] as const];
    }),
  );

const partsOf = (entries: EpubEntries, items: readonly ManifestItem[]): readonly EpubPart[] => {
  const types = typesByEntry(entries, items);
  const chars = { left: PARTS_MAX_CHARS };
  return entries.files.flatMap((entry): EpubPart[] => {
    const mediaType = types.get(entry) ?? '';
    if (!spend(chars, entry.name.length + mediaType.length)) return [];
    const page = entries.archive.page(entry);
    return [
      {
        path: entry.name,
        mediaType,
        offset: inFile(page).offset,
        packedSize: page.packedSize,
        size: page.size,
        method: page.method,
        fault: page.fault === 'empty' ? 0 : faultNumber(page.fault), // an empty style sheet is one
      },
    ];
  });
};

/** Addresses by the names of the entries. Those that lead nowhere stay without a target. */
const resolved = (entries: EpubEntries, list: readonly OutlineEntry[]): OutlineEntry[] =>
  list.map(({ title, href, children }) => {
    const hash = href.indexOf('#');
    const name = entries.at(hash < 0 ? href : href.slice(0, hash))?.name;
    const fragment = hash < 0 ? '' : href.slice(hash);
    return { title, href: name === undefined ? '' : name + fragment, children: resolved(entries, children) };
  });

/** What the package lists besides the reading order, each once. */
const resourcesOf = (entries: EpubEntries, { items, spine }: EpubPackage, chars: Allowance): readonly string[] => {
  const named = new Set(spine.map(({ item }) => entries.at(item.path)?.name));
  return items.flatMap(({ path }) => {
    const name = entries.at(path)?.name;
    if (name === undefined || named.has(name)) return [];
    named.add(name);
    return spend(chars, name.length) ? [name] : [];
  });
};

const coverIn = (entries: EpubEntries, book: EpubPackage): string | null => {
  for (const { path } of namedCovers(entries, book)) return entries.at(path)?.name ?? null;
  return null;
};

/** `kind` was found when the book was analysed. */
export const epubContentsOf = (file: BookFile, kind: EpubKind, context: OpenContext): EpubContents => {
  const archive = openZip(file, context);
  if (!isEpub(archive)) throw new AppError('FileChanged');
  const { xmlBytes } = context.limits;
  const entries = new EpubEntries(archive);
  const book = readPackage(entries, xmlBytes);
  if (isProtected(entries, xmlBytes)) throw new AppError('EncryptedArchive', 'The book is protected (DRM).');
  const chars = { left: TEXTS_MAX_CHARS };
  const spine = spineIn(entries, book, { chars, isPaged: kind !== 'reflowable' });
  const { toc } = readToc(entries, book, chars);
  const { landmarks, pageList } = readLandmarks(entries, book, chars);
  return {
    kind,
    direction: book.direction,
    parts: partsOf(entries, book.items),
    spine,
    resources: resourcesOf(entries, book, chars),
    cover: coverIn(entries, book),
    toc: resolved(entries, toc),
    landmarks: resolved(entries, landmarks),
    pageList: resolved(entries, pageList),
  };
};
