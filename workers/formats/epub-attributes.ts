// The attributes of an element in a document of an EPUB, as HTML allows them: quoted or not, with any prefix, in any case.

/** No alternative repeats what another one has read, and a name is never empty, so that each character is read a few times at most. */
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/g;
const PREFIX = /^\w{1,20}:/;

/** By the name without its prefix, in lower case: a document may bind any prefix to XLink. Of several values the first counts, as in HTML. */
export const attributesIn = (text: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  for (const [, written = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const name = written.toLowerCase().replace(PREFIX, '');
    const value = double ?? single ?? bare ?? '';
    if (value !== '' && !values.has(name)) values.set(name, value);
  }
  return values;
};
