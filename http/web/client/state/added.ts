// The newest books, grouped where a series got several at once.

interface Added {
  readonly seriesId: string;
  readonly createdAt: string;
}

export interface Addition<Book extends Added> {
  /** The newest first. */
  readonly books: readonly Book[];
  /** Whether there may be more than these. */
  readonly isCut: boolean;
}

const AT_ONCE_MS = 24 * 60 * 60 * 1000;

const isWithin = (newest: Added | undefined, { createdAt }: Added): boolean =>
  newest !== undefined && Date.parse(newest.createdAt) - Date.parse(createdAt) < AT_ONCE_MS;

/** `books`: the newest first. `isAll`: whether there are no others. */
export const additionsOf = <Book extends Added>(books: readonly Book[], isAll: boolean): readonly Addition<Book>[] => {
  const groups: Book[][] = [];
  const latest = new Map<string, Book[]>();
  for (const book of books) {
    const group = latest.get(book.seriesId);
    if (group !== undefined && isWithin(group[0], book)) group.push(book);
    else {
      const next = [book];
      latest.set(book.seriesId, next);
      groups.push(next);
    }
  }
  const oldest = books.at(-1);
  return groups.map((group) => ({ books: group, isCut: !isAll && group.at(-1) === oldest }));
};
