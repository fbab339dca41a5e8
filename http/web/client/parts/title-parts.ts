// How a title is shown on a narrow card: without the name of the series if that is shown below, and always with its number.

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

/** The title after the name of its series; null if it does not start with that name, or nothing follows it. */
const restOf = (title: string, series: string): string | null => {
  if (series === '' || title.slice(0, series.length).toLowerCase() !== series.toLowerCase()) return null;
  const rest = /^[\s\-–—:,.·_|]+(.*)$/u.exec(title.slice(series.length))?.[1] ?? '';
  return rest === '' ? null : rest;
};

/** `series`: the name of the series, if shown next to the title. */
export const partsOf = (title: string, series = ''): Parts => {
  const rest = restOf(title, series);
  if (rest !== null) return { before: title.slice(0, title.length - rest.length), shown: rest, end: '' };
  const [, shown = title, end = ''] = NUMBERED.exec(title) ?? [];
  return end.length > END_MAX ? { before: '', shown: title, end: '' } : { before: '', shown, end };
};
