// The books of one series on its screen: their order, which of them are shown, and where a number is. Knows no document.

export interface Listed {
  readonly number?: number | null;
  readonly chapter?: number | null;
  readonly volume?: number | null;
  readonly createdAt: string;
  readonly readProgress?: { readonly completed: boolean; readonly updatedAt: string } | null;
}

/** The order of the series comes first. */
export const BOOK_ORDERS = ['number,asc', 'number,desc', 'date_added,desc', 'last_read,desc'] as const;
export type BookOrder = (typeof BOOK_ORDERS)[number];

export const READ_STATUSES = ['', 'unread', 'in_progress', 'read'] as const;
/** '' for any. */
export type ReadStatus = (typeof READ_STATUSES)[number];

export const bookOrderIn = (given: string | null): BookOrder =>
  BOOK_ORDERS.find((one) => one === given) ?? BOOK_ORDERS[0];

export const readStatusIn = (given: string | null): ReadStatus => READ_STATUSES.find((one) => one === given) ?? '';

const statusOf = ({ readProgress }: Listed): ReadStatus => {
  if (readProgress === undefined || readProgress === null) return 'unread';
  return readProgress.completed ? 'read' : 'in_progress';
};

/** Newest first; what has no time comes last, and equal ones stay in the order of the series. */
const newestFirst = <B extends Listed>(books: readonly B[], timeOf: (book: B) => string | undefined): readonly B[] => {
  const times = new Map(books.map((book) => [book, Date.parse(timeOf(book) ?? '') || 0]));
  return [...books].sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
};

const ORDERED = {
  'number,asc': (books) => books,
  'number,desc': (books) => [...books].reverse(),
  'date_added,desc': (books) => newestFirst(books, ({ createdAt }) => createdAt),
  'last_read,desc': (books) => newestFirst(books, ({ readProgress }) => readProgress?.updatedAt),
} satisfies Record<BookOrder, <B extends Listed>(books: readonly B[]) => readonly B[]>;

export const arranged = <B extends Listed>(books: readonly B[], order: BookOrder, status: ReadStatus): readonly B[] =>
  ORDERED[order](status === '' ? books : books.filter((book) => statusOf(book) === status));

const numberIn = ({ number, chapter, volume }: Listed): number | null => number ?? chapter ?? volume ?? null;

export const hasNumbers = (books: readonly Listed[]): boolean => books.some((book) => numberIn(book) !== null);

/** The place of the book with this number, else of the one with the nearest; -1 if none has a number. */
export const placeOfNumber = (books: readonly Listed[], wanted: number): number => {
  let [found, distance] = [-1, Number.POSITIVE_INFINITY];
  for (const [place, book] of books.entries()) {
    const number = numberIn(book);
    if (number === null || Math.abs(number - wanted) >= distance) continue;
    [found, distance] = [place, Math.abs(number - wanted)];
  }
  return found;
};

/** Undefined for what is no number. */
export const numberTyped = (text: string): number | null =>
  /^\s*\d{1,9}([.,]\d{1,3})?\s*$/.test(text) ? Number(text.trim().replace(',', '.')) : null;
