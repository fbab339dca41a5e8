// Parses well-formed XML documents. Only importer of htmlparser2. Its tokenizer reads anything; what makes a document malformed is noticed
// here and ends the reading, so that no guess of the tokenizer gets into a tree.
import { QuoteType, Tokenizer } from 'htmlparser2';
import {
  ATTRIBUTES_MAX,
  DEPTH_MAX,
  ELEMENT_ATTRIBUTES_MAX,
  isDeclaration,
  localName,
  NODES_MAX,
  resolveEntities,
  type XmlNode,
} from './xml-node.js';

interface OpenNode extends XmlNode {
  text: string;
  readonly children: XmlNode[];
}

/** Notes that the document is malformed or too large, and ends the reading. The empty string stands for the name that was wanted. */
type Fail = () => string;

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const NAME = /^[\p{L}_:][^\s/<>="']{0,200}$/u;

/** The local part of a name, in lower case. */
type Names = (name: string) => string | null;

/** Documents repeat their names: each is examined once. Null for what cannot be one. */
const newNames = (): Names => {
  const known = new Map<string, string | null>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = NAME.test(name) ? localName(name) : null;
    known.set(name, made);
    return made;
  };
};

const isBlank = (xml: string, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) if (xml.charCodeAt(at) > 0x20) return false;
  return true;
};

/** The open elements, outermost first; the first represents the document. */
const newTree = (fail: Fail) => {
  const document: OpenNode = { name: '', attributes: NO_ATTRIBUTES, text: '', children: [] };
  const outer: OpenNode[] = [];
  let top = document;
  let nodes = 0;
  return {
    add: (piece: string): void => {
      if (top !== document) top.text += piece;
      else if (piece.trim() !== '') fail();
    },
    open: (name: string, attributes: ReadonlyMap<string, string>): void => {
      nodes += 1;
      const isSecondRoot = top === document && document.children.length > 0;
      if (isSecondRoot || nodes > NODES_MAX || outer.length >= DEPTH_MAX) fail();
      const node: OpenNode = { name, attributes, text: '', children: [], at: top.text.length };
      top.children.push(node);
      outer.push(top);
      top = node;
    },
    close: (name: string): void => {
      if (top.name !== name) fail();
      top = outer.pop() ?? document;
    },
    root: (): XmlNode | null => (top === document ? (document.children[0] ?? null) : null),
  };
};

type Tree = ReturnType<typeof newTree>;

/** Reads start tags; the end tag of an empty element, too. Between their parts there is nothing but white space. */
const newStartTags = (xml: string, tree: Tree, localOf: Names, fail: Fail) => {
  let tag = '';
  let attributes = new Map<string, string>();
  /** Names of attributes as they are written. */
  let given: string[] = [];
  let value = '';
  let read = 0;
  /** Where the last part ended. */
  let end = 0;
  const finished = (): ReadonlyMap<string, string> => (attributes.size === 0 ? NO_ATTRIBUTES : attributes);
  return {
    onopentagname: (start: number, endIndex: number): void => {
      tag = localOf(xml.slice(start, endIndex)) ?? fail();
      if (given.length > 0) given = [];
      if (attributes.size > 0) attributes = new Map();
      end = endIndex;
    },
    onattribname: (start: number, endIndex: number): void => {
      if (start === end || !isBlank(xml, end, start)) fail();
      given.push(xml.slice(start, endIndex));
      read += 1;
      if (given.length > ELEMENT_ATTRIBUTES_MAX || read > ATTRIBUTES_MAX) fail();
    },
    onattribdata: (start: number, endIndex: number): void => {
      value = xml.slice(start, endIndex);
    },
    onattribend: (quote: QuoteType, endIndex: number): void => {
      const name = given.at(-1) ?? '';
      const local = localOf(name) ?? fail();
      if (quote === QuoteType.Unquoted || (attributes.has(local) && given.indexOf(name) < given.length - 1)) fail();
      if (quote !== QuoteType.NoValue && !isDeclaration(name)) attributes.set(local, resolveEntities(value));
      end = endIndex;
    },
    onopentagend: (endIndex: number): void => {
      if (!isBlank(xml, end, endIndex)) fail();
      tree.open(tag, finished());
    },
    onselfclosingtag: (endIndex: number): void => {
      if (xml[endIndex - 1] !== '/' || !isBlank(xml, end, endIndex - 1)) fail();
      tree.open(tag, finished());
      tree.close(tag);
    },
  };
};

/** The root element of a well-formed document; null for any other, for one beyond the limits, and where entities may be declared. */
export const parseWhole = (xml: string): XmlNode | null => {
  let isWhole = true;
  const fail = (): string => {
    isWhole = false;
    tokenizer.pause();
    return '';
  };
  const tree = newTree(fail);
  const localOf = newNames();
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: false },
    {
      ...newStartTags(xml, tree, localOf, fail),
      onattribentity: fail,
      ontextentity: fail,
      ontext: (start, end) => {
        // After an unfinished tag at the end of the document the tokenizer reports a text from -1.
        if (start < 0) fail();
        else tree.add(resolveEntities(xml.slice(start, end)));
      },
      onclosetag: (start, end) => {
        const last = xml.indexOf('>', end);
        if (last < 0 || !isBlank(xml, end, last)) fail();
        tree.close(localOf(xml.slice(start, end)) ?? fail());
      },
      oncdata: (start, end, offset) => {
        if (offset === 0) fail();
        tree.add(xml.slice(start, end - offset));
      },
      oncomment: (start, end, offset) => {
        // One without an end, and one that HTML ends earlier: `<!-->`.
        if (offset === 0 || end - offset < start) fail();
      },
      ondeclaration: fail,
      onprocessinginstruction: (_, end) => {
        // In HTML the first `>` ends one.
        if (xml[end - 1] !== '?') fail();
      },
      onend: () => undefined,
    },
  );
  tokenizer.write(xml);
  tokenizer.end();
  return isWhole ? tree.root() : null;
};
