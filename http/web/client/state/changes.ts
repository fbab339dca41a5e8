// Which changes reported by the server are about what a screen shows.

/** What a server event names. */
export interface Named {
  readonly type?: string;
  readonly bookId?: string | null;
  readonly seriesId?: string;
  readonly libraryId?: string;
  /** Whose cover changed. */
  readonly entityId?: string;
}

const idsIn = ({ bookId, seriesId, libraryId, entityId }: Named): readonly (string | null | undefined)[] => {
  if (entityId !== undefined) return [entityId];
  return bookId === undefined && seriesId === undefined ? [libraryId] : [bookId, seriesId];
};

/** `shown`: the ids of the books, series and libraries on the screen. An event that names nothing asks for everything to be reloaded. */
export const isAbout = (change: Named, shown: ReadonlySet<string>): boolean => {
  const ids = idsIn(change).filter((id) => id !== undefined && id !== null);
  return ids.length === 0 || ids.some((id) => shown.has(id));
};
