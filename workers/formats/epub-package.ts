// The package document of an EPUB 2 or 3 (EPUB 3.3, 5; OPF 2.0.1): manifest, spine, layout, direction. As lenient as other
// readers are.
import { AppError } from '../../core/model/errors.js';
import { faultNumber, PAGE_FAULTS, type PageFault } from '../../core/model/page-table.js';
import { writingDirectionOf } from '../metadata/opf-direction.js';
import { child, children, find, parseXmlBytes, readXmlBytes, type XmlNode } from '../metadata/xml.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import type { EpubEntries } from './epub-paths.js';
import { isAltered } from './zip-entry.js';

export interface ManifestItem {
  readonly id: string;
  /** Path inside the archive. */
  readonly path: string;
  readonly mediaType: string;
  readonly properties: readonly string[];
}

export interface SpineRef {
  readonly item: ManifestItem;
  readonly linear: boolean;
  /** It says of itself that its layout is fixed. */
  readonly isFixed: boolean;
}

export interface EpubPackage {
  readonly path: string;
  readonly root: XmlNode;
  readonly items: readonly ManifestItem[];
  /** Only items that are in the archive, each once: none may be named twice (EPUB 3.3, 5.7.2). */
  readonly spine: readonly SpineRef[];
  /** The same with documents that are named again where they are: in a book of images each of these is a page. */
  readonly order: readonly SpineRef[];
  /** It names documents again so often that this is no order of pages; then `order` is `spine`. */
  readonly repeatsTooOften: boolean;
  readonly isFixed: boolean;
  readonly direction: 'ltr' | 'rtl' | null;
  /** Paths that the spine names but the archive does not contain. */
  readonly missing: readonly string[];
  /** True when it is longer than what is read of it. */
  readonly isCut: boolean;
  /** True when it ends too early. */
  readonly isIncomplete: boolean;
  /** True when its bytes are not those that were packed. */
  readonly isAltered: boolean;
}

const COMPRESSIONS: ReadonlySet<PageFault> = new Set(['method', 'deflate64', 'bzip2', 'lzma', 'zstd', 'xz', 'ppmd']);
const PACKAGE_TYPE = 'application/oebps-package+xml';
const ROOTFILES_MAX = 100;
const damaged = (what: string): AppError => new AppError('CorruptArchive', `The EPUB book is damaged: ${what}.`);

/** Whoever made the file made it so: another copy of it would be the same. */
const badlyMade = (what: string): AppError =>
  damaged(`${what}. Make it again, with another program if need be; downloading the same file again does not help`);

/** Why a file cannot be unpacked although it is sound: another copy of the book would be the same. */
const whyPacked = (entries: EpubEntries, path: string): AppError | undefined => {
  const entry = entries.at(path);
  const fault = entry === undefined ? 'none' : entries.archive.page(entry).fault;
  if (fault === 'encrypted')
    return new AppError('EncryptedArchive', 'The EPUB book is packed with a password; pack it again without one.');
  const sentence = COMPRESSIONS.has(fault) ? PAGE_FAULTS[faultNumber(fault)] : null;
  if (sentence === null || sentence === undefined) return undefined;
  return new AppError('UnsupportedFormat', sentence.replace('The page', 'The EPUB book'));
};

const SPLIT = 'Split the book, or convert it again with fewer files.';

export const attribute = (node: XmlNode | null, name: string): string => node?.attributes.get(name)?.trim() ?? '';

/** A path that is no URL (OCF 3.3, 4.2.6.3.1), though many programs write one: a name with such characters first counts as it is. */
const IN_URLS = /[#?%]/;

const rootfileAt = (entries: EpubEntries, path: string): string | undefined => {
  const exact = `${entries.root}${path}`;
  return IN_URLS.test(path) && entries.at(exact) !== undefined ? exact : entries.resolve('', `/${path}`);
};

/** The paths of the renditions of a book: packages before what says that it is something else, such as a PDF of the same book. */
const rootfilesIn = (entries: EpubEntries, xmlBytes: number): readonly string[] => {
  const bytes = entries.readMeta('container.xml', xmlBytes);
  if (bytes === null)
    throw (
      whyPacked(entries, `${entries.root}META-INF/container.xml`) ??
      damaged(
        `META-INF/container.xml ${entries.at(`${entries.root}META-INF/container.xml`) ? 'cannot be read' : 'is missing'}`,
      )
    );
  const container = parseXmlBytes(bytes);
  const files = children(find(container, 'rootfiles') ?? container, 'rootfile').slice(0, ROOTFILES_MAX);
  const isPackage = (file: XmlNode): boolean =>
    ['', PACKAGE_TYPE].includes(attribute(file, 'media-type').toLowerCase());
  const paths = [...files.filter(isPackage), ...files.filter((file) => !isPackage(file))].flatMap(
    (file) => rootfileAt(entries, attribute(file, 'full-path')) ?? [],
  );
  if (paths.length === 0) throw badlyMade('META-INF/container.xml names no package document');
  return paths;
};

type Package = Pick<EpubPackage, 'path' | 'root' | 'isCut' | 'isIncomplete' | 'isAltered'>;

const MB = 1024 * 1024;

const whyUnread = (entries: EpubEntries, path: string, xmlBytes: number): AppError => {
  const name = path.slice(0, 200);
  const size = entries.at(path)?.size ?? 0;
  if (size <= xmlBytes)
    return whyPacked(entries, path) ?? damaged(`its package document ${name} is missing or cannot be read`);
  return new AppError(
    'LimitExceeded',
    `The package document ${name} of the EPUB book is ${Math.ceil(size / MB)} MB long; at most ${Math.floor(xmlBytes / MB)} MB are read. ${SPLIT}`,
  );
};

/** The first rendition that can be read counts (OCF 3.3, 4.2.6.3.1); if there is none, the error is that of the first. */
const packageIn = (entries: EpubEntries, xmlBytes: number): Package => {
  let reason: AppError | undefined;
  for (const path of rootfilesIn(entries, xmlBytes)) {
    const bytes = entries.read(path, xmlBytes);
    const read = bytes === null ? null : readXmlBytes(bytes);
    const root = find(read?.root ?? null, 'package');
    const entry = entries.at(path);
    if (bytes !== null && read !== null && root !== null)
      return { ...read, path, root, isAltered: entry !== undefined && isAltered(entry, bytes) };
    reason ??= bytes === null ? whyUnread(entries, path, xmlBytes) : damaged('its package document is not readable');
  }
  throw reason ?? damaged('it has no package document');
};

/** Characters of all paths together. The document may have half as many, but its folder is prefixed to each path. */
const PATHS_MAX_CHARS = 8_000_000;

const itemsOf = (entries: EpubEntries, root: XmlNode, base: string, paths: Allowance): ManifestItem[] =>
  children(find(root, 'manifest'), 'item').flatMap((item) => {
    if (isSpent(paths)) return [];
    const path = entries.resolve(base, attribute(item, 'href'));
    if (path === undefined || !spend(paths, path.length)) return [];
    return [
      {
        id: attribute(item, 'id'),
        path,
        mediaType: attribute(item, 'media-type').toLowerCase(),
        properties: attribute(item, 'properties').split(/\s+/),
      },
    ];
  });

type ReadingOrder = Pick<EpubPackage, 'spine' | 'order' | 'repeatsTooOften'>;

/** Pages are named again now and then, such as blank ones. An order of mostly repeats would make a small file a book of very many pages. */
const orderOf = (all: readonly SpineRef[]): ReadingOrder => {
  const spine = [...new Set(all)];
  const repeatsTooOften = all.length > 2 * spine.length;
  return { spine, order: repeatsTooOften ? spine : all, repeatsTooOften };
};

/** A document that is named again is the same object again. */
const spineOf = (entries: EpubEntries, root: XmlNode, items: readonly ManifestItem[]): SpineRef[] => {
  const byId = new Map(items.map((item) => [item.id, item]));
  const known = new Map<unknown, SpineRef>();
  return children(find(root, 'spine'), 'itemref').flatMap((ref) => {
    const item = byId.get(attribute(ref, 'idref'));
    if (item === undefined) return [];
    const file = entries.at(item.path) ?? item.path;
    const same = known.get(file);
    if (same !== undefined) return [same];
    const isFixed = attribute(ref, 'properties').toLowerCase().split(/\s+/).includes('rendition:layout-pre-paginated');
    const first = { item, linear: attribute(ref, 'linear').toLowerCase() !== 'no', isFixed };
    known.set(file, first);
    return [first];
  });
};

export const metas = (root: XmlNode): readonly XmlNode[] => children(find(root, 'metadata'), 'meta');

/** Where the guide of an EPUB 2 says that the cover or the table of contents is. */
export const guideHref = ({ root }: Pick<EpubPackage, 'root'>, type: 'cover' | 'toc'): string =>
  attribute(
    children(child(root, 'guide'), 'reference').find((one) => attribute(one, 'type').toLowerCase() === type) ?? null,
    'href',
  );

const isTrue = (text: string): boolean => /^(?:true|yes|1)$/i.test(text.trim());

/** Declared for the whole book: by EPUB 3, by its drafts and the Kindle, or by kinds of books that are always fixed. */
const isFixedByMeta = (root: XmlNode): boolean =>
  metas(root).some((meta) => {
    const [property, name] = [attribute(meta, 'property'), attribute(meta, 'name').toLowerCase()];
    const content = meta.text.trim() === '' ? attribute(meta, 'content') : meta.text.trim();
    if (/(?:^|:)layout$/i.test(property) || name === 'rendition:layout') return /^pre-paginated$/i.test(content);
    if (name === 'book-type') return /^comic$/i.test(content);
    return name === 'fixed-layout' && isTrue(content);
  });

interface Layout {
  readonly root: XmlNode;
  readonly spine: readonly SpineRef[];
  readonly xmlBytes: number;
}

/** Apple's older declaration (iBooks Asset Guide), which other tools write too, and the same of Kobo. */
const DISPLAY_OPTIONS = ['com.apple.ibooks.display-options.xml', 'com.kobobooks.display-options.xml'] as const;

const isFixedBy = (file: string, entries: EpubEntries, xmlBytes: number): boolean => {
  const bytes = entries.readMeta(file, xmlBytes);
  const platforms = bytes === null ? [] : children(find(parseXmlBytes(bytes), 'display_options'), 'platform');
  return platforms
    .flatMap((platform) => children(platform, 'option'))
    .some((option) => attribute(option, 'name').toLowerCase() === 'fixed-layout' && isTrue(option.text));
};

const isFixedLayout = (entries: EpubEntries, { root, spine, xmlBytes }: Layout): boolean =>
  isFixedByMeta(root) ||
  spine.every(({ isFixed }) => isFixed) ||
  DISPLAY_OPTIONS.some((file) => isFixedBy(file, entries, xmlBytes));

const directionOf = (root: XmlNode): 'ltr' | 'rtl' | null => {
  const direction = attribute(find(root, 'spine'), 'page-progression-direction').toLowerCase();
  return direction === 'rtl' || direction === 'ltr' ? direction : writingDirectionOf(root);
};

/** A truncated document is not read at all; a truncated image is a page with that fault. */
const isThere = (entries: EpubEntries, { path, mediaType }: ManifestItem): boolean => {
  const entry = entries.at(path);
  return entry !== undefined && (entry.damage === 'none' || mediaType.startsWith('image/'));
};

const whyNoSpine = (root: XmlNode): string => {
  const spine = find(root, 'spine');
  if (spine === null) return 'its package document has no reading order (spine)';
  const refs = children(spine, 'itemref').length;
  return refs === 0
    ? 'its reading order (spine) is empty, so nothing says which documents are its pages'
    : `its reading order (spine) names ${refs} ${refs === 1 ? 'document' : 'documents'}, but none that its list of files (manifest) contains`;
};

const TOO_LONG = `The package document of the EPUB book is too long: it lists more files than this server reads, and the reading order (spine) comes after that limit. ${SPLIT}`;

export const readPackage = (entries: EpubEntries, xmlBytes: number): EpubPackage => {
  const { path, root, isCut, ...damage } = packageIn(entries, xmlBytes);
  entries.packagePath = path;
  const paths = { left: PATHS_MAX_CHARS };
  const items = itemsOf(entries, root, path, paths);
  const { spine, ...reading } = orderOf(spineOf(entries, root, items));
  const present = new Set(spine.filter(({ item }) => isThere(entries, item)));
  if (spine.length === 0 && (isCut || isSpent(paths))) throw new AppError('LimitExceeded', TOO_LONG);
  if (spine.length === 0) throw badlyMade(whyNoSpine(root));
  if (present.size === 0) throw damaged('none of the documents in its reading order (spine) is in the archive');
  return {
    path,
    root,
    items,
    spine: [...present],
    order: reading.order.filter((ref) => present.has(ref)),
    repeatsTooOften: reading.repeatsTooOften,
    isFixed: isFixedLayout(entries, { root, spine: [...present], xmlBytes }),
    direction: directionOf(root),
    missing: spine.filter((ref) => !present.has(ref)).map(({ item }) => item.path),
    isCut: isCut || isSpent(paths),
    isIncomplete: damage.isIncomplete,
    isAltered: damage.isAltered,
  };
};

/** Schemes that only obfuscate fonts; the text can be read by anyone (EPUB 3.3, 4.2.7). */
const FONT_SCHEMES = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']);

/** True when parts of the book are encrypted by a scheme that only licensed readers can open. */
export const isProtected = (entries: EpubEntries, xmlBytes: number): boolean => {
  const bytes = entries.readMeta('encryption.xml', xmlBytes);
  const root = bytes === null ? null : parseXmlBytes(bytes);
  return children(root, 'encrypteddata').some(
    (data) => !FONT_SCHEMES.has(attribute(child(data, 'encryptionmethod'), 'algorithm')),
  );
};
