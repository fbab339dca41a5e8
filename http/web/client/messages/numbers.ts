// Numbers in sentences, as each language writes them.

export interface Numbers {
  number(value: number): string;
  /** For languages with one singular and one plural: `1 page`, `1,200 pages`. */
  counted(count: number, one: string, many: string): string;
}

/** In the languages of the client, smaller numbers are written as digits alone. */
const GROUPED_FROM = 1000;

/**
 * One formatter for all numbers of a language: `toLocaleString` looks the language up each time. It is created for the first number that
 * needs it, since that takes 50 ms on a computer and four times as long on a phone.
 */
export const formatterIn = (language: string): ((value: number) => string) => {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    if (Number.isInteger(value) && value >= 0 && value < GROUPED_FROM) return String(value);
    format ??= new Intl.NumberFormat(language);
    return format.format(value);
  };
};

export const numbersIn = (language: string): Numbers => {
  const number = formatterIn(language);
  return { number, counted: (count, one, many) => `${number(count)} ${count === 1 ? one : many}` };
};
