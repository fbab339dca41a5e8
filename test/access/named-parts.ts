// What ids and names in paths stand for, by the part of the path before them. A row with a new part needs a line here, unless the table of
// permissions says whose things it names (own:).

/** What may be hidden from a person. */
export const HIDEABLE: ReadonlySet<string> = new Set(['libraries', 'series', 'books', 'genres', 'tags', 'handles']);

/** What everybody shares who may see it. */
const SHARED: ReadonlySet<string> = new Set([
  'collections',
  'readlists',
  'duplicates',
  'tasks',
  'covers',
  'thumbnails',
  'alternate-titles',
]);

/** Names within a thing that the path names before, or of which everybody has their own; a value that exists or is well-formed. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  file: ['x'],
  pages: ['1'],
  manifest: ['divina'],
  resource: ['part.xhtml'],
  progress: ['0123456789abcdef0123456789abcdef'],
  preferences: ['reader.fit'],
};

/** The parts of a path before its parameters. */
export const PARAM = /([\w-]+)\/\{(\w+)\*?\}/g;

/** Whether the last parameter names what nobody has for themselves alone. */
export const endsShared = (path: string): boolean => {
  const part = [...path.matchAll(PARAM)].at(-1)?.[1];
  return part === undefined || HIDEABLE.has(part) || SHARED.has(part) || Object.hasOwn(NAMES, part);
};
