// Feeds of OPDS 1.2 as a strict parser of XML sees them.
import { XMLParser, XMLValidator } from 'fast-xml-parser';

const LISTS = new Set(['entry', 'link', 'category', 'author', 'contributor', 'Url']);

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true, // numeric ones
  isArray: (name) => LISTS.has(name),
});

export interface Link {
  readonly rel: string;
  readonly type: string;
  readonly href: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Element {
  // biome-ignore lint/suspicious/noExplicitAny: a test names the elements it expects, and a missing one fails it
  readonly parts: any;
  readonly links: readonly Link[];
  /** The first with this rel; throws if there is none. */
  link(rel: string): Link;
  /** What is between the tags of a child; undefined where there is none. */
  text(name: string): string | undefined;
}

export interface FeedElement extends Element {
  readonly entries: readonly Element[];
}

const linksIn = (parts: { readonly link?: readonly Record<string, string>[] }): readonly Link[] =>
  (parts.link ?? []).map((one) => {
    const attributes = Object.fromEntries(Object.entries(one).map(([name, value]) => [name.slice(1), value]));
    return { rel: attributes.rel ?? '', type: attributes.type ?? '', href: attributes.href ?? '', attributes };
  });

// biome-ignore lint/suspicious/noExplicitAny: as above
const elementOf = (parts: any): Element => {
  const links = linksIn(parts);
  return {
    parts,
    links,
    link: (rel) => {
      const found = links.find((one) => one.rel === rel);
      if (found === undefined) throw new Error(`no link with rel ${rel} among ${links.map((one) => one.rel).join()}`);
      return found;
    },
    text: (name) => {
      const value = parts[name];
      return typeof value === 'object' ? value['#text'] : value;
    },
  };
};

/** Throws unless it is well-formed. */
export const parsedXml = (text: string): Record<string, unknown> => {
  const fault = XMLValidator.validate(text);
  if (fault !== true) throw new Error(`${fault.err.msg} in line ${fault.err.line}: ${text.slice(0, 500)}`);
  return PARSER.parse(text);
};

export const feedIn = (text: string): FeedElement => {
  const { feed } = parsedXml(text) as { feed?: { entry?: unknown[] } };
  if (feed === undefined) throw new Error(`no feed: ${text.slice(0, 300)}`);
  return { ...elementOf(feed), entries: (feed.entry ?? []).map(elementOf) };
};
