// An XML element as plain data, and how its text is read: entities, attributes, names without prefixes.
import { characterOf, namedCharacter, unescaped } from './entities.js';

export interface XmlNode {
  /** Local name in lower case: `opf:Meta` is `meta`. */
  readonly name: string;
  /** Local names in lower case; namespace declarations are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Own text, entities resolved, without that of the children. */
  readonly text: string;
  readonly children: readonly XmlNode[];
  /** How long the text of the parent was when this element began; undefined in a document that is malformed. */
  readonly at?: number;
}

/** Limits of a document: a larger one is read up to here. */
export const LENGTH_MAX = 4_000_000;
export const NODES_MAX = 100_000;
/** For a document, and for one element: a parser holds all of them at once. */
export const ATTRIBUTES_MAX = 100_000;
export const ELEMENT_ATTRIBUTES_MAX = 200;
export const DEPTH_MAX = 100;
const FIELD_MAX = 100_000;
/** A text with entities is cut to this before they are resolved: it is more than a field keeps, and resolving takes much memory. */
const RESOLVED_MAX = 400_000;

export const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1).toLowerCase();

export const isDeclaration = (attribute: string): boolean => /^xmlns(?::|$)/i.test(attribute);

/** Resolves character references and the entities of XML and HTML; any other is dropped, since nothing may define it. */
export const resolveEntities = (text: string): string =>
  text.includes('&')
    ? text
        .slice(0, RESOLVED_MAX)
        .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]\w{0,31});/gi, (_, body: string) =>
          body.startsWith('#') ? characterOf(body) : (namedCharacter(body) ?? ''),
        )
    : text;

/** Trimmed, without control characters and unpaired surrogates; never longer than a field may be. */
export const cleanText = (value: string): string =>
  value
    .slice(0, FIELD_MAX)
    .replace(/\r\n?|\u0085/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .toWellFormed()
    .trim();

const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;
const UNEVEN = /[^\S ]| {2}|^ | $|[\u00ad\u200b\u2060]/;

/**
 * A title, a name or a term on one line: runs of white space are one space, and signs that only control line breaks are dropped. The joiners
 * U+200C and U+200D stay, since Persian words and emoji are made with them. One that was escaped twice is plain text.
 */
export const oneLine = (value: string): string => {
  const plain = value.includes('&') ? cleanText(unescaped(value)) : value;
  return UNEVEN.test(plain) ? plain.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim() : plain;
};

export const children = (node: XmlNode | null, name: string): readonly XmlNode[] =>
  node?.children.filter((one) => one.name === name) ?? [];

/** The first child with that name that is not empty; an empty one does not hide the next. */
export const child = (node: XmlNode | null, name: string): XmlNode | null => {
  const found = children(node, name);
  return found.find((one) => one.children.length > 0 || one.text.trim() !== '') ?? found[0] ?? null;
};

/** Elements of XHTML, which descriptions are written in. */
const LINES = new Set('blockquote br div dl dt dd h1 h2 h3 h4 h5 h6 li ol p pre section table tr ul'.split(' '));
const INLINE = new Set('a abbr b big cite code em font i q s small span strike strong sub sup u'.split(' '));

const isMarkup = ({ name, at }: XmlNode): boolean => at !== undefined && (LINES.has(name) || INLINE.has(name));

/** The pieces of a text with elements in it, in order; a piece with nothing but a line break stands between two lines. */
const addPieces = (node: XmlNode, pieces: string[]): void => {
  let from = 0;
  for (const one of node.children) {
    pieces.push(node.text.slice(from, one.at).replace(/\s+/g, ' '));
    from = one.at ?? from;
    if (LINES.has(one.name)) pieces.push('\n');
    if (isMarkup(one)) addPieces(one, pieces);
    if (LINES.has(one.name)) pieces.push('\n');
  }
  pieces.push(node.text.slice(from).replace(/\s+/g, ' '));
};

const markedText = (node: XmlNode): string => {
  const pieces: string[] = [];
  addPieces(node, pieces);
  return cleanText(pieces.join('').replace(/[ \n]+/g, (run) => (run.includes('\n') ? '\n' : ' ')));
};

/** Text of an element; of its children when it has none of its own. A description written as XHTML is one text. Null when there is none. */
export const text = (node: XmlNode | null): string | null => {
  if (node === null) return null;
  if (node.children.some(isMarkup)) return markedText(node) || null;
  const own = cleanText(node.text);
  if (own !== '') return own;
  const parts = node.children.flatMap((one) => text(one) ?? []);
  return parts.length === 0 ? null : cleanText(parts.join('\n'));
};

/** Texts of all children with that name. */
export const texts = (node: XmlNode | null, name: string): readonly string[] =>
  children(node, name).flatMap((one) => text(one) ?? []);

/** The node itself or its nearest descendant with that name. */
export const find = (node: XmlNode | null, name: string): XmlNode | null => {
  if (node === null || node.name === name) return node;
  const direct = child(node, name);
  if (direct !== null) return direct;
  for (const one of node.children) {
    const found = find(one, name);
    if (found !== null) return found;
  }
  return null;
};
