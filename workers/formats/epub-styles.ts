// Images that a document of an EPUB shows by its styles, as backgrounds or content: in attributes, in the document, in the style sheets that it links.
import { resolveEntities } from '../metadata/xml-node.js';
import { type Allowance, spend } from './allowance.js';
import type { ImageSearch } from './epub-images.js';
import type { EpubEntries } from './epub-paths.js';

/** A larger style sheet is not read. */
const SHEET_MAX_BYTES = 1024 * 1024;
const RULES_MAX = 50_000;
/** Rules compared for all documents of a book. */
const MATCHES_MAX = 2_000_000;
const SHEETS_MAX_BYTES = 64 * 1024 * 1024;
const LINKS_MAX = 20;
const SELECTOR_MAX = 300;

interface Rule {
  /** What an element and those around it must be called: `#id`, `.class`, `tag`. */
  readonly names: readonly string[];
  readonly target: string;
}

/** Rules by the name that says most. */
type Sheet = ReadonlyMap<string, readonly Rule[]>;

export interface StyleSearch {
  /** By the path of each that was read, with those that it imports. */
  readonly sheets: Map<string, readonly Sheet[]>;
  readonly bytes: Allowance;
  readonly matches: Allowance;
}

export const styleSearch = (): StyleSearch => ({
  sheets: new Map(),
  bytes: { left: SHEETS_MAX_BYTES },
  matches: { left: MATCHES_MAX },
});

const CSS_COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
const BACKGROUND = /(?:^|[;\s])background(?:-image)?\s*:([^;]{0,4000})/i;
/** An image in place of an element, or before or after it. */
const CONTENT = /(?:^|[;\s])content\s*:([^;]{0,4000})/i;
const URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]*))\s*\)/i;

const addressIn = (declarations: string): string => {
  const found = URL.exec(BACKGROUND.exec(declarations)?.[1] ?? '') ?? URL.exec(CONTENT.exec(declarations)?.[1] ?? '');
  return unescaped(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
};

/** `\\31 x` is `1x`: identifiers may not begin with a digit. */
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|([^\n]))/gi;
const LAST_CODE = 0x10ffff;
const unescaped = (css: string): string =>
  css.includes('\\')
    ? css.replace(ESCAPE, (_, code: string | undefined, sign: string | undefined) =>
        code === undefined ? (sign ?? '') : String.fromCodePoint(Math.min(Number.parseInt(code, 16), LAST_CODE)),
      )
    : css;

/** `[class="p1"]` and `[id=p1]` are other ways to write `.p1` and `#p1`. */
const BY_ATTRIBUTE = /\[\s*(class|id)\s*~?=\s*["']?([\w-]+)["']?\s*\]/gi;

const NAME = /[#.]?[\w-]+/g;
/** States and conditions in brackets do not make a rule one of other elements. */
const namesIn = (selector: string): readonly string[] =>
  unescaped(
    selector
      .replace(
        BY_ATTRIBUTE,
        (_, attribute: string, name: string) => (attribute.toLowerCase() === 'id' ? '#' : '.') + name,
      )
      .replace(/\[[^\]]*\]|::?[\w-]+(?:\([^)]*\))?/g, ''),
  ).match(NAME) ?? [];

const rank = (name: string): number => (name.startsWith('#') ? 0 : name.startsWith('.') ? 1 : 2);

const rulesOf = (entries: EpubEntries, css: string, base: string): Sheet => {
  const sheet = new Map<string, Rule[]>();
  let count = 0;
  for (const part of css.split('}')) {
    const open = part.lastIndexOf('{');
    const address = open < 0 ? '' : addressIn(part.slice(open + 1));
    const target = address === '' ? undefined : entries.resolveImage(base, address);
    if (target === undefined) continue;
    for (const selector of part.slice(part.lastIndexOf('{', open - 1) + 1, open).split(',')) {
      const names = namesIn(selector.slice(-SELECTOR_MAX));
      const key = names.reduce<string | undefined>(
        (best, name) => (best === undefined || rank(name) <= rank(best) ? name : best),
        undefined,
      );
      count += 1;
      if (key === undefined || count > RULES_MAX) continue;
      const rules = sheet.get(key) ?? [];
      rules.push({ names, target });
      sheet.set(key, rules);
    }
  }
  return sheet;
};

/** Statements without a block, such as `@charset "utf-8";`, do not belong to the selector of the next rule. */
const STATEMENT = /@[\w-]{1,30}\s[^{};@]{0,4000};/g;
const IMPORT = /@import\s{1,100}(?:url\(\s{0,100})?(?:"([^"]{1,1000})"|'([^']{1,1000})'|([^\s"'();]{1,1000}))/gi;
/** Style sheets that one leads to through others. */
const IMPORT_DEPTH = 4;

interface Source {
  readonly css: string;
  /** What its addresses count from. */
  readonly base: string;
  readonly depth: number;
}

/** The style sheets that one imports, then itself: the last of the book's choices comes last. */
const sheetsIn = (entries: EpubEntries, { css, base, depth }: Source, styles: StyleSearch): readonly Sheet[] => {
  const imports = depth >= IMPORT_DEPTH ? [] : [...css.matchAll(IMPORT)].slice(0, LINKS_MAX);
  const imported = imports.flatMap(([, double, single, bare]) => {
    const path = entries.resolve(base, double ?? single ?? bare ?? '');
    return path === undefined ? [] : linkedSheets(entries, path, styles, depth + 1);
  });
  return [...imported, rulesOf(entries, css.replace(STATEMENT, ''), base)].slice(-LINKS_MAX);
};

const linkedSheets = (entries: EpubEntries, path: string, styles: StyleSearch, depth: number): readonly Sheet[] => {
  const known = styles.sheets.get(path);
  if (known !== undefined) return known;
  styles.sheets.set(path, []); // for one that imports itself
  const entry = entries.at(path);
  const isReadable = entry !== undefined && entry.size <= SHEET_MAX_BYTES && spend(styles.bytes, entry.size);
  const bytes = isReadable ? entries.archive.read(entry, SHEET_MAX_BYTES) : null;
  const css = bytes === null ? '' : Buffer.from(bytes).toString('utf8').replace(CSS_COMMENT, '');
  const sheets = sheetsIn(entries, { css, base: path, depth }, styles);
  styles.sheets.set(path, sheets);
  return sheets;
};

const ATTRIBUTE = (name: string): RegExp => new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
const [STYLE, BACKGROUND_IMAGE, ID, CLASS, HREF, REL] = ['style', 'background', 'id', 'class', 'href', 'rel'].map(
  ATTRIBUTE,
) as [RegExp, RegExp, RegExp, RegExp, RegExp, RegExp];
const textOfAttribute = (pattern: RegExp, tag: string): string => {
  const found = pattern.exec(tag);
  return resolveEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
};

interface Found {
  readonly names: Set<string>;
  readonly targets: Set<string>;
  readonly sheets: Sheet[];
}

/** Of a document of XML; it comes before the first element. */
const STYLESHEET = /<\?xml-stylesheet\s([^<>]{0,1000})\?>/gi;
const TAG = /<(?:\w{1,20}:)?(\w{1,20})((?:\s[^<>]{0,4000})?)>/g;

/** What the elements of a document are called, which style sheets apply to them, and the backgrounds that they have of their own. */
const elementsOf = (entries: EpubEntries, path: string, text: string, styles: StyleSearch): Found => {
  const found: Found = { names: new Set(), targets: new Set(), sheets: [] };
  for (const [, written = ''] of [...text.matchAll(STYLESHEET)].slice(0, LINKS_MAX)) {
    const sheet = entries.resolve(path, textOfAttribute(HREF, ` ${written}`));
    if (sheet !== undefined) found.sheets.push(...linkedSheets(entries, sheet, styles, 0));
  }
  for (const [, name = '', written = ''] of text.matchAll(TAG)) {
    const tag = name.toLowerCase();
    found.names.add(tag);
    if (written === '') continue;
    if (tag === 'link' && /stylesheet/i.test(textOfAttribute(REL, written)) && found.sheets.length < LINKS_MAX) {
      const sheet = entries.resolve(path, textOfAttribute(HREF, written));
      if (sheet !== undefined) found.sheets.push(...linkedSheets(entries, sheet, styles, 0));
    }
    for (const one of textOfAttribute(CLASS, written).split(/\s+/)) if (one !== '') found.names.add(`.${one}`);
    const id = textOfAttribute(ID, written);
    if (id !== '') found.names.add(`#${id}`);
    const address = addressIn(textOfAttribute(STYLE, written)) || textOfAttribute(BACKGROUND_IMAGE, written); // HTML 4: <body background="1.jpg">
    const target = address === '' ? undefined : entries.resolveImage(path, address);
    if (target !== undefined) found.targets.add(target);
  }
  return found;
};

const INNER = /<(?:\w{1,20}:)?style(?=[\s>])[^<>]{0,1000}(?<!\/)>/gi;
const INNER_END = /<\/(?:\w{1,20}:)?style/gi;
/** What XHTML and old browsers put around the rules. */
const AROUND = /<!\[CDATA\[|\]\]>|<!--|-->/g;

/** The style sheets inside a document. The text after the last one without an end is not searched again. */
const sheetsInside = (text: string): readonly string[] => {
  const found: string[] = [];
  for (const { index, 0: tag } of text.matchAll(INNER)) {
    const start = index + tag.length;
    INNER_END.lastIndex = start;
    const end = INNER_END.exec(text)?.index;
    const css = text.slice(start, Math.min(end ?? text.length, start + SHEET_MAX_BYTES));
    found.push(resolveEntities(css.replace(AROUND, '')).replace(CSS_COMMENT, ''));
    if (end === undefined || found.length >= LINKS_MAX) break;
  }
  return found;
};

/** Paths of the images; some may not exist. A rule counts if the document has what it names, wherever that is in it. */
export const backgroundsOf = (
  entries: EpubEntries,
  { path, text }: { readonly path: string; readonly text: string },
  search: ImageSearch,
  styles: StyleSearch,
): ReadonlySet<string> => {
  search.check();
  const { names, targets, sheets } = elementsOf(entries, path, text, styles);
  for (const css of sheetsInside(text)) sheets.push(...sheetsIn(entries, { css, base: path, depth: 0 }, styles));
  for (const sheet of sheets) {
    for (const name of names) {
      // Of the rules for one name the last one counts.
      const applying = sheet
        .get(name)
        ?.findLast((rule) => spend(styles.matches, 1) && rule.names.every((one) => names.has(one)));
      if (applying !== undefined) targets.add(applying.target);
    }
  }
  return targets;
};
