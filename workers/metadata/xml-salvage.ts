// Reads what it can of a malformed XML document: complete elements, in their places.
// One pass, every character read a bounded number of times.
import {
  DEPTH_MAX,
  ELEMENT_ATTRIBUTES_MAX,
  isDeclaration,
  localName,
  NODES_MAX,
  resolveEntities,
  type XmlNode,
} from './xml-node.js';

interface OpenNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Pieces of text, entities resolved. */
  readonly pieces: string[];
  readonly children: XmlNode[];
}

// A name starts only after a blank or a quote: otherwise a long run of letters would be tried from each of them.
const ATTRIBUTE = /(?<=[\s"'])([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export const attributesIn = (tag: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of tag.matchAll(ATTRIBUTE)) {
    if (found.size >= ELEMENT_ATTRIBUTES_MAX) break;
    if (!isDeclaration(name) && !found.has(localName(name)))
      found.set(localName(name), resolveEntities(double ?? single ?? ''));
  }
  return found;
};

/** Where a tag ends, before `limit`: the first `>` outside quotes, or the first at all when a quote is left open. */
const endOfTag = (xml: string, start: number, limit: number): number => {
  let quote = '';
  for (let at = start; at < limit; at += 1) {
    const char = xml[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return at;
  }
  const first = quote === '' ? -1 : xml.slice(start, limit).indexOf('>');
  return first < 0 ? -1 : start + first;
};

const done = ({ name, attributes, pieces, children: inner }: OpenNode): XmlNode => ({
  name,
  attributes,
  text: pieces.join(''),
  children: inner,
});

/** The open elements, outermost first; the first represents the document. */
const newTextBuilder = () => {
  const document: OpenNode = { name: '', attributes: new Map(), pieces: [], children: [] };
  const stack: OpenNode[] = [document];
  let isEnded = false;
  let nodes = 0;
  let pieces = 0;
  let tooDeep = 0;
  const top = (): OpenNode => stack.at(-1) ?? document;
  /** An element without an end tag before that of its parent: it is removed, and its children move up. */
  const dissolve = (): void => {
    const inner = stack.pop()?.children ?? [];
    for (const node of inner) top().children.push(node);
  };
  /** An element still open where the document is cut off: one with text of its own is half a value, another one is a container. */
  const cutOff = (): void => {
    const node = stack.pop();
    if (node === undefined) return;
    const hasText = node.pieces.some((piece) => piece.trim() !== '');
    if (hasText && stack.length > 1) for (const inner of node.children) top().children.push(inner);
    else if (node.children.length > 0) top().children.push({ ...done(node), text: '' });
  };
  return {
    isFull: (): boolean => nodes >= NODES_MAX || pieces >= 2 * NODES_MAX,
    add: (piece: string): void => {
      pieces += 1;
      if (tooDeep === 0) top().pieces.push(piece);
    },
    open: (name: string, attributes: ReadonlyMap<string, string>, isEmpty: boolean): void => {
      nodes += 1;
      const node: OpenNode = { name, attributes, pieces: [], children: [] };
      if (tooDeep > 0 || stack.length > DEPTH_MAX) tooDeep += isEmpty ? 0 : 1;
      else if (isEmpty) top().children.push(done(node));
      else stack.push(node);
    },
    close: (name: string): void => {
      if (tooDeep > 0) {
        tooDeep -= 1;
        return;
      }
      if (!stack.some((node, index) => index > 0 && node.name === name)) return;
      while (top().name !== name) dissolve();
      const node = stack.pop();
      if (node !== undefined) top().children.push(done(node));
    },
    finish: (): readonly XmlNode[] => {
      isEnded = stack.length === 1 && document.children.length > 0;
      while (stack.length > 1) cutOff();
      return document.children;
    },
    /** Whether the first element had its end tag. */
    isEnded: (): boolean => isEnded,
  };
};

type Tree = ReturnType<typeof newTextBuilder>;

const SKIPPED = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** A declaration; without the `>`, it is text. */
const DECLARATION = /<![^<>]*>/y;

const CDATA = '<![CDATA[';

const TAG_NAME = /^\/?[\p{L}_][^\s/<>="']{0,200}/u;

/** What may follow the last `<` of a document that is cut off inside a tag. */
const CUT_TAG = /^\/?(?:$|[\p{L}_])/u;

/** Reads the markup at `at` into the tree and returns where it ends; -1 when the rest cannot be read. */
const markup = (xml: string, at: number, tree: Tree): number => {
  if (xml.startsWith(CDATA, at)) {
    const end = xml.indexOf(']]>', at);
    if (end >= 0) tree.add(xml.slice(at + CDATA.length, end));
    return end < 0 ? -1 : end + 3;
  }
  for (const [start, stop] of SKIPPED) {
    if (!xml.startsWith(start, at)) continue;
    const end = xml.indexOf(stop, at + start.length);
    return end < 0 ? -1 : end + stop.length;
  }
  DECLARATION.lastIndex = at;
  if (DECLARATION.test(xml)) return DECLARATION.lastIndex;
  const next = xml.indexOf('<', at + 1);
  const end = endOfTag(xml, at + 1, next < 0 ? xml.length : next);
  const tag = end < 0 ? '' : xml.slice(at + 1, end);
  const name = TAG_NAME.exec(tag)?.[0];
  if (name === undefined) {
    if (next < 0 && CUT_TAG.test(xml.slice(at + 1, at + 202))) return -1; // the document is cut off inside this tag
    tree.add('<');
    return at + 1;
  }
  if (name.startsWith('/')) tree.close(localName(name.slice(1)));
  else tree.open(localName(name), attributesIn(tag.slice(name.length)), tag.endsWith('/'));
  return end + 1;
};

export interface Salvaged {
  /** The first element of the document that is not empty. */
  readonly root: XmlNode | null;
  /** The reading ended at a limit. */
  readonly isCut: boolean;
  /** The document ends before its root element does, or there is none. */
  readonly isIncomplete: boolean;
}

export const salvage = (xml: string): Salvaged => {
  const tree = newTextBuilder();
  let at = 0;
  while (at >= 0 && at < xml.length && !tree.isFull()) {
    const next = xml.indexOf('<', at);
    const piece = xml.slice(at, next < 0 ? xml.length : next);
    if (piece !== '') tree.add(resolveEntities(piece));
    at = next < 0 ? -1 : markup(xml, next, tree);
  }
  const root = tree.finish()[0] ?? null;
  return { root, isCut: tree.isFull(), isIncomplete: !tree.isEnded() };
};
