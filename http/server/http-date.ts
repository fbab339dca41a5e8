// Dates in HTTP headers (RFC 9110 5.6.7): the format that is written, and the two older ones that must still be read.

/** Kept, because a client asks for page after page of a book, and all have the time of the same file. */
let last = { second: Number.NaN, text: '' };

/** The format that is written; fractions of a second are dropped. */
export const httpDate = (ms: number): string => {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) last = { second, text: new Date(second * 1000).toUTCString() };
  return last.text;
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const TIME = '(\\d{2}:\\d{2}:\\d{2})';
const PREFERRED = new RegExp(`^${DAY}, (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) ${TIME} GMT$`);
const RFC_850 = new RegExp(`^[A-Z][a-z]{5,8}, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ([A-Z][a-z]{2}) ([ \\d]\\d) ${TIME} (\\d{4})$`);

const secondsOf = (year: number, monthName: string, day: string, time: string): number | undefined => {
  const month = MONTHS.indexOf(monthName);
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(year, month, Number(day), hour, minute, second));
  const isDay = new Date(Date.UTC(year, month, Number(day))).getUTCMonth() === month;
  return isDay && Number(day) > 0 ? date.getTime() / 1000 : undefined;
};

/** Two digits mean the year that is at most 50 years in the future. */
const fullYear = (digits: number, nowMs: number): number => {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + 50 ? year - 100 : year;
};

/** Whole seconds since the epoch; undefined for anything that is not a date, which counts as absent. */
export const httpSeconds = (text: string, nowMs: number): number | undefined => {
  const [, day = '', month = '', year, time = ''] = PREFERRED.exec(text) ?? [];
  if (year !== undefined) return secondsOf(Number(year), month, day, time);
  const [, oldDay = '', oldMonth = '', digits, oldTime = ''] = RFC_850.exec(text) ?? [];
  if (digits !== undefined) return secondsOf(fullYear(Number(digits), nowMs), oldMonth, oldDay, oldTime);
  const [, cMonth = '', cDay = '', cTime = '', cYear] = ASCTIME.exec(text) ?? [];
  return cYear === undefined ? undefined : secondsOf(Number(cYear), cMonth, cDay.trim(), cTime);
};
