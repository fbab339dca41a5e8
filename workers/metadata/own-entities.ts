// Entities that a document declares for itself: `<!ENTITY folder "../images">`. Only plain text is inserted, and only up to a limit, so
// that no document grows without bound.

const DECLARED = /<!ENTITY\s+([\p{L}_][\w.-]{0,60})\s+(?:"([^"<&%]{0,500})"|'([^'<&%]{0,500})')\s*>/gu;
const DECLARED_MAX = 200;
const ADDED_MAX_CHARS = 1_000_000;
const REFERENCE = /&([\p{L}_][\w.-]{0,60});/gu;

/** The document with these entities replaced by their text; others stay as they are. */
export const withOwnEntities = (xml: string): string => {
  if (!xml.includes('<!ENTITY')) return xml;
  const values = new Map<string, string>();
  for (const [, name = '', double, single] of xml.matchAll(DECLARED)) {
    if (values.size >= DECLARED_MAX) break;
    if (!values.has(name)) values.set(name, double ?? single ?? ''); // the first declaration counts (XML 1.0, 4.2)
  }
  let left = ADDED_MAX_CHARS;
  return xml.replace(REFERENCE, (reference, name: string) => {
    const value = values.get(name);
    if (value === undefined || value.length > left) return reference;
    left -= value.length;
    return value;
  });
};
