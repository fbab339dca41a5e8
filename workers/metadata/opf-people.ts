// Creators and contributors of an OPF package, with their three-letter MARC role codes.
import type { Author, AuthorRole } from '../../core/model/metadata.js';
import { distinctAuthors, roleOf } from './authors.js';
import { enumerated } from './values.js';
import { text, type XmlNode } from './xml.js';

/** The first value of a property that refines an element, or null. */
export type Refined = (node: XmlNode, property: string) => string | null;

const MARC: ReadonlyMap<string, AuthorRole> = new Map([
  ['aut', 'author'],
  ['cre', 'author'],
  ['aus', 'writer'],
  ['wri', 'writer'],
  ['ill', 'illustrator'],
  ['art', 'penciller'],
  ['pen', 'penciller'],
  ['ink', 'inker'],
  ['clr', 'colorist'],
  ['let', 'letterer'],
  ['ltr', 'letterer'],
  ['cov', 'cover_artist'],
  ['trl', 'translator'],
  ['edt', 'editor'],
]);

/** The publisher of a book and the program that made it are not its authors. */
const NOT_PEOPLE = new Set(['pbl', 'bkp']);

const codeOf = (node: XmlNode, refined: Refined): string =>
  (node.attributes.get('role') ?? refined(node, 'role') ?? '').trim().toLowerCase();

/** calibre writes the names of all creators as the sort name of each: that sorts none of them. */
const sortNameOf = (node: XmlNode, name: string, refined: Refined): string | null => {
  const sortName = (node.attributes.get('file-as') ?? refined(node, 'file-as') ?? '').trim();
  return sortName === '' || (sortName.includes(' & ') && !name.includes(' & ')) ? null : sortName;
};

const roleIn = (node: XmlNode, code: string): AuthorRole => {
  if (code === '') return node.name === 'creator' ? 'author' : 'contributor';
  return MARC.get(code) ?? roleOf(code);
};

const authorOf = (node: XmlNode, refined: Refined): readonly Author[] => {
  const name = text(node);
  const code = codeOf(node, refined);
  if (name === null || NOT_PEOPLE.has(code)) return [];
  const names = enumerated(name);
  const sortName = names.length === 1 ? sortNameOf(node, name, refined) : null;
  return names.map((one) => ({ name: one, role: roleIn(node, code), sortName }));
};

/** `elements` are creators first, then contributors: the order in which they are shown. */
export const peopleIn = (elements: readonly XmlNode[], refined: Refined): readonly Author[] =>
  distinctAuthors(elements.flatMap((node) => authorOf(node, refined)));

/** A publisher written as a person, for packages that have no publisher element. */
export const publisherAmong = (elements: readonly XmlNode[], refined: Refined): string | null =>
  text(elements.find((node) => codeOf(node, refined) === 'pbl') ?? null);
