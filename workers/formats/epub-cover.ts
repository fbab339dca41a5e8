// Which file an EPUB names as its cover: an image, a drawing, or a document that shows one.
import { mediaOfBytes } from '../image-head.js';
import { attribute, type EpubPackage, guideHref, type ManifestItem, metas } from './epub-package.js';
import type { EpubEntries } from './epub-paths.js';
import { coverLandmarks } from './epub-toc.js';

const HEAD_BYTES = 1024;
const LANDMARKS_MAX_CHARS = 100_000;
/** `cover` as a word, alone or with what it is of: `cover_01`, `CoverImage`, but neither `discover` nor `recovery`. */
const COVER_NAME = /(?:^|[^\p{L}])(?<!back[-_ ])(?:front[-_ ]?)?cover(?:[-_ ]?(?:image|img|page|art))?(?=$|[^\p{L}])/iu;

const isDrawing = ({ mediaType, path }: ManifestItem): boolean => mediaType === 'image/svg+xml' || /\.svg$/i.test(path);

/** By its type, or by its first bytes where the type says nothing: `application/octet-stream`, or none. */
export const isPicture = (entries: EpubEntries, item: ManifestItem): boolean => {
  if (isDrawing(item)) return false;
  if (item.mediaType.startsWith('image/')) return true;
  const entry = /(?:html|xml|css|font|script)/.test(item.mediaType) ? undefined : entries.at(item.path);
  const bytes = entry === undefined ? null : entries.head(entry, HEAD_BYTES);
  const media = bytes === null ? undefined : mediaOfBytes(bytes);
  return media !== undefined && media !== 'svg';
};

const metaCover = ({ root }: EpubPackage): string =>
  attribute(metas(root).find((meta) => attribute(meta, 'name').toLowerCase() === 'cover') ?? null, 'content');

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** As the id of an item, as a path from the package, or as a mere file name. */
const byContent = (entries: EpubEntries, { items, path }: EpubPackage, content: string): ManifestItem | undefined => {
  if (content === '') return undefined;
  const target = entries.resolve(path, content);
  const entry = target === undefined ? undefined : entries.at(target);
  return (
    items.find(({ id }) => id === content) ??
    (entry === undefined ? undefined : items.find((item) => entries.at(item.path) === entry)) ??
    items.find((item) => item.path.endsWith(`/${content}`) || baseName(item.path) === content)
  );
};

const at = (entries: EpubEntries, { items }: EpubPackage, path: string | undefined): ManifestItem | undefined => {
  const entry = path === undefined || path === '' ? undefined : entries.at(path);
  return entry === undefined ? undefined : items.find((item) => entries.at(item.path) === entry);
};

/**
 * What a book declares to be its cover, in the order in which the ways can be trusted; some may not exist. A generator: most books name one at
 * once, and the landmarks take another document.
 */
export function* declaredCovers(entries: EpubEntries, book: EpubPackage): Generator<ManifestItem | undefined> {
  const { items, path } = book;
  for (const item of items) if (item.properties.includes('cover-image')) yield item;
  yield byContent(entries, book, metaCover(book));
  for (const landmark of coverLandmarks(entries, book, { left: LANDMARKS_MAX_CHARS }))
    yield at(entries, book, landmark);
  yield at(entries, book, entries.resolve(path, guideHref(book, 'cover')));
}

/** Items that are called a cover: guesses, for books that declare none. */
export function* namedCovers(entries: EpubEntries, { items }: EpubPackage): Generator<ManifestItem> {
  const named = items.filter(
    ({ id, path: own }) => COVER_NAME.test(id) || COVER_NAME.test(baseName(own).replace(/\.\w{1,5}$/, '')),
  );
  for (const item of named) if (isDrawing(item)) yield item;
  for (const item of named) if (isPicture(entries, item)) yield item;
}
