// Strict readers of JSON, as apps in typed languages have them: a field that is missing, null or of another type is an error that names it.

/** Throws an error with the place of the fault. */
export type Reader = (value: unknown, at: string) => void;

export type Fields = Readonly<Record<string, Reader>>;

const fault = (at: string, expected: string, value: unknown): never => {
  throw new Error(
    `${at === '' ? '/' : at}: expected ${expected}, got ${JSON.stringify(value)?.slice(0, 200) ?? 'nothing'}`,
  );
};

const typed =
  (expected: string, fits: (value: unknown) => boolean): Reader =>
  (value, at) => {
    if (!fits(value)) fault(at, expected, value);
  };

export const text = typed('a text', (value) => typeof value === 'string');
export const filledText = typed('a text that is not empty', (value) => typeof value === 'string' && value !== '');
export const yesNo = typed('true or false', (value) => typeof value === 'boolean');
export const number = typed('a number', (value) => typeof value === 'number');
/** As typed languages read a count: 32 bits. */
export const int = typed(
  'an integer of 32 bits',
  (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
);
export const long = typed('an integer', (value) => Number.isSafeInteger(value));
export const anything: Reader = () => undefined;

export const matching = (pattern: RegExp): Reader =>
  typed(`a text like ${pattern}`, (value) => typeof value === 'string' && pattern.test(value));

export const oneOf = (...words: readonly unknown[]): Reader =>
  typed(`one of ${words.join(', ')}`, (value) => words.includes(value));

/** The key has to be there. */
export const orNull =
  (reader: Reader): Reader =>
  (value, at) => {
    if (value !== null) reader(value, at);
  };

/** The key may be missing, and its value null. */
export const perhaps =
  (reader: Reader): Reader =>
  (value, at) => {
    if (value !== undefined && value !== null) reader(value, at);
  };

export const listOf =
  (reader: Reader): Reader =>
  (value, at) => {
    if (!Array.isArray(value)) return fault(at, 'a list', value);
    value.forEach((one, index) => {
      reader(one, `${at}/${index}`);
    });
  };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields beyond these are ignored. */
export const record =
  (fields: Fields): Reader =>
  (value, at) => {
    if (!isRecord(value)) return fault(at, 'an object', value);
    for (const [name, reader] of Object.entries(fields)) reader(value[name], `${at}/${name}`);
  };

/** Fields beyond these are errors. */
export const closed = (fields: Fields): Reader => {
  const open = record(fields);
  return (value, at) => {
    open(value, at);
    for (const name of Object.keys(value as object))
      if (!(name in fields)) fault(`${at}/${name}`, 'no such field', name);
  };
};

/** Any keys, one type of values. */
export const mapOf =
  (reader: Reader): Reader =>
  (value, at) => {
    if (!isRecord(value)) return fault(at, 'an object', value);
    for (const [name, one] of Object.entries(value)) reader(one, `${at}/${name}`);
  };
