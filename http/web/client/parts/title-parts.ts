// How a title is shown on a narrow card: without the name of the series if that is shown nearby, and always with its number.

interface Parts {
  /** For screen readers only. */
  readonly before: string;
  /** May be truncated. */
  readonly shown: string;
  /** Never truncated; '' if the title does not end with a number. */
  readonly end: string;
}

const END_MAX = 10;
/** A last word with a digit: "12", "#5", "v03", "(2019)". */
const NUMBERED = /^(.*\S)\s+(\S*\d\S*)$/u;

/** The title after a name; null if it does not start with that name, or nothing follows it. */
const restOf = (title: string, name: string): string | null => {
  if (name === '' || title.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return null;
  const rest = /^[\s\-–—:,.·_|]+(.*)$/u.exec(title.slice(name.length))?.[1] ?? '';
  return rest === '' ? null : rest;
};

/** What names of folders add to that of a series, and names of files often do not: a year, a publisher. */
const ADDITION = /\s*[([][^()[\]]*[)\]]$/u;

/** `series`: the name of the series, if it is shown near the title. */
export const partsOf = (title: string, series = ''): Parts => {
  const rest = restOf(title, series) ?? restOf(title, series.replace(ADDITION, ''));
  if (rest !== null) return { before: title.slice(0, title.length - rest.length), shown: rest, end: '' };
  const [, shown = title, end = ''] = NUMBERED.exec(title) ?? [];
  return end.length > END_MAX ? { before: '', shown: title, end: '' } : { before: '', shown, end };
};
