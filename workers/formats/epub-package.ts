// The package document of an EPUB 2 or 3 (EPUB 3.3, 5; OPF 2.0.1): manifest, spine, layout, direction, cover. As lenient as other
// readers are.
import { AppError } from '../../core/model/errors.js';
import { child, children, find, parseXmlBytes, type XmlNode } from '../metadata/xml.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import { type EpubEntries, resolveHref, withoutNul } from './epub-paths.js';

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
}

export interface EpubPackage {
  readonly path: string;
  readonly root: XmlNode;
  readonly items: readonly ManifestItem[];
  /** Only items that are in the archive, each once: none may be named twice (EPUB 3.3, 5.7.2). */
  readonly spine: readonly SpineRef[];
  readonly isFixed: boolean;
  readonly direction: 'ltr' | 'rtl' | null;
  /** Paths that the spine names but the archive does not contain. */
  readonly missing: readonly string[];
  /** True when it lists more files than are read. */
  readonly isCut: boolean;
}

const CONTAINER = 'META-INF/container.xml';
const damaged = (what: string): AppError => new AppError('CorruptArchive', `The EPUB book is damaged: ${what}.`);

const attribute = (node: XmlNode | null, name: string): string => node?.attributes.get(name)?.trim() ?? '';

/** The first package document counts (OCF 3.3, 4.2.6.3.1). */
const packagePath = (entries: EpubEntries, xmlBytes: number): string => {
  const bytes = entries.read(CONTAINER, xmlBytes);
  if (bytes === null) throw damaged('META-INF/container.xml is missing');
  const path = attribute(find(parseXmlBytes(bytes), 'rootfile'), 'full-path').replace(/^\/+/, '');
  if (path === '') throw damaged('META-INF/container.xml names no package document');
  return resolveHref('', path) ?? withoutNul(path);
};

/** Characters of all paths together. The document may have half as many, but its folder is prefixed to each path. */
const PATHS_MAX_CHARS = 8_000_000;

const itemsOf = (root: XmlNode, base: string, paths: Allowance): ManifestItem[] =>
  children(find(root, 'manifest'), 'item').flatMap((item) => {
    if (isSpent(paths)) return [];
    const path = resolveHref(base, attribute(item, 'href'));
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

const spineOf = (root: XmlNode, items: readonly ManifestItem[]): SpineRef[] => {
  const byId = new Map(items.map((item) => [item.id, item]));
  const seen = new Set<string>();
  return children(find(root, 'spine'), 'itemref').flatMap((ref) => {
    const item = byId.get(attribute(ref, 'idref'));
    if (item === undefined || seen.has(item.path)) return [];
    seen.add(item.path);
    return [{ item, linear: attribute(ref, 'linear').toLowerCase() !== 'no' }];
  });
};

const metas = (root: XmlNode): readonly XmlNode[] => children(find(root, 'metadata'), 'meta');

const isFixedLayout = (root: XmlNode): boolean =>
  metas(root).some(
    (meta) =>
      (/rendition:layout$/i.test(attribute(meta, 'property')) && meta.text.trim() === 'pre-paginated') ||
      (attribute(meta, 'name').toLowerCase() === 'fixed-layout' && attribute(meta, 'content').toLowerCase() === 'true'),
  );

const directionOf = (root: XmlNode): 'ltr' | 'rtl' | null => {
  const direction = attribute(find(root, 'spine'), 'page-progression-direction').toLowerCase();
  return direction === 'rtl' || direction === 'ltr' ? direction : null;
};

/** A truncated document is not read at all; a truncated image is a page with that fault. */
const isThere = (entries: EpubEntries, { path, mediaType }: ManifestItem): boolean => {
  const entry = entries.at(path);
  return entry !== undefined && (entry.damage === 'none' || mediaType.startsWith('image/'));
};

export const readPackage = (entries: EpubEntries, xmlBytes: number): EpubPackage => {
  const path = packagePath(entries, xmlBytes);
  const bytes = entries.read(path, xmlBytes);
  if (bytes === null) throw damaged(`its package document ${path.slice(0, 200)} is missing or cannot be read`);
  const parsed = parseXmlBytes(bytes);
  const root = parsed === null ? null : find(parsed, 'package');
  if (root === null) throw damaged('its package document is not readable');
  const paths = { left: PATHS_MAX_CHARS };
  const items = itemsOf(root, path, paths);
  const spine = spineOf(root, items);
  const present = spine.filter(({ item }) => isThere(entries, item));
  if (present.length === 0) throw damaged('its reading order (spine) is empty');
  return {
    path,
    root,
    items,
    spine: present,
    isFixed: isFixedLayout(root),
    direction: directionOf(root),
    missing: spine.filter(({ item }) => !isThere(entries, item)).map(({ item }) => item.path),
    isCut: isSpent(paths),
  };
};

const isImage = (item: ManifestItem | undefined): item is ManifestItem =>
  item?.mediaType.startsWith('image/') === true && item.mediaType !== 'image/svg+xml';

/** What the package names as its cover: an image, or a document that shows one. Undefined when it names none. */
export const namedCover = ({ root, items, path }: EpubPackage): ManifestItem | undefined => {
  const property = items.find((item) => item.properties.includes('cover-image') && isImage(item));
  if (property !== undefined) return property;
  const content = attribute(
    metas(root).find((meta) => attribute(meta, 'name').toLowerCase() === 'cover') ?? null,
    'content',
  );
  const target = resolveHref(path, content);
  const byMeta = items.find((item) => content !== '' && (item.id === content || item.path === target));
  if (isImage(byMeta)) return byMeta;
  const guide = children(child(root, 'guide'), 'reference').find(
    (one) => attribute(one, 'type').toLowerCase() === 'cover',
  );
  const href = guide === undefined ? undefined : resolveHref(path, attribute(guide, 'href'));
  const byGuide = items.find((item) => item.path === href);
  return byGuide ?? items.find((item) => isImage(item) && item.id.toLowerCase().includes('cover'));
};

/** Schemes that only obfuscate fonts; the text can be read by anyone (EPUB 3.3, 4.2.7). */
const FONT_SCHEMES = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']);

/** True when parts of the book are encrypted by a scheme that only licensed readers can open. */
export const isProtected = (entries: EpubEntries, xmlBytes: number): boolean => {
  const bytes = entries.read('META-INF/encryption.xml', xmlBytes);
  const root = bytes === null ? null : parseXmlBytes(bytes);
  return children(root, 'encrypteddata').some(
    (data) => !FONT_SCHEMES.has(attribute(child(data, 'encryptionmethod'), 'algorithm')),
  );
};
