// Names that are kept once: two names with one key are the same name. Genres and tags have `termKey` of search-key.ts. Whoever changes any of
// them raises STORED_RULES.names.

/** Collections and read lists: upper case first, since one small letter may stand for two capitals. */
export const listNameKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Names and e-mail addresses of users. */
export const userNameKey = (text: string): string => text.normalize('NFKC').trim().toLowerCase();
