// Numbers in the sentences of a language.

export interface Numbers {
  number(value: number): string;
  /** Of languages with one singular and one plural: `1 page`, `1,200 pages`. */
  counted(count: number, one: string, many: string): string;
}

/** One formatter for all numbers: `toLocaleString` looks its language up each time, which takes noticeably long on a wall of covers. */
export const numbersIn = (language: string): Numbers => {
  let format: Intl.NumberFormat | undefined;
  const number = (value: number): string => {
    format ??= new Intl.NumberFormat(language);
    return format.format(value);
  };
  return { number, counted: (count, one, many) => `${number(count)} ${count === 1 ? one : many}` };
};
