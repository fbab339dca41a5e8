// Authors as apps compare them: by roles in lower case, each name once in a role.
import type { Author, AuthorRole } from '../../../core/model/metadata.js';

/** Apps look for the people of text among the writers. */
export const ROLE_NAMES: Readonly<Record<AuthorRole, string>> = {
  author: 'writer',
  co_author: 'writer',
  writer: 'writer',
  editor: 'editor',
  translator: 'translator',
  illustrator: 'illustrator',
  contributor: 'contributor',
  penciller: 'penciller',
  inker: 'inker',
  colorist: 'colorist',
  letterer: 'letterer',
  cover_artist: 'cover',
};

export const roleText = (role: AuthorRole): string => ROLE_NAMES[role];

/** The roles of ours that are shown as this one; none for a word that is never shown. */
export const rolesShownAs = (word: string): readonly AuthorRole[] =>
  (Object.keys(ROLE_NAMES) as AuthorRole[]).filter((role) => ROLE_NAMES[role] === word.toLowerCase());

const ROLES = Object.keys(ROLE_NAMES) as AuthorRole[];

/** Writers first; within a role the order stays. */
export const byRole = (authors: readonly Author[]): readonly Author[] =>
  authors.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));

export const authorsView = (authors: readonly Author[] | null): { readonly name: string; readonly role: string }[] => {
  const shown = new Map(
    (authors ?? []).map(({ name, role }) => [`${ROLE_NAMES[role]}\n${name}`, { name, role: ROLE_NAMES[role] }]),
  );
  return [...shown.values()];
};
