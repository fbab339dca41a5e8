// Which manifest of a book an app is given: by the type of the book, and by what the app can read where there is a choice.
import { AppError } from '../../core/model/errors.js';
import type { Publication } from '../../core/pages/publication.js';
import { TYPES } from './link.js';

export const PROFILES = ['divina', 'epub', 'pdf'] as const;
export type Profile = (typeof PROFILES)[number];

/** The first is what the book is. */
const profilesOf = ({ book, contents }: Publication): readonly Profile[] => {
  if (book.format === 'pdf') return ['pdf', 'divina'];
  if (contents === null) return ['divina'];
  return contents.kind === 'images' ? ['divina', 'epub'] : ['epub'];
};

const TYPE_OF = { divina: TYPES.divina, epub: TYPES.webpub, pdf: TYPES.webpub } as const satisfies Record<
  Profile,
  string
>;

/** An app that names one of the types and not the other gets that. */
export const profileFor = (publication: Publication, accept: string, isEpubFirst = false): Profile => {
  const own = profilesOf(publication);
  const profiles = isEpubFirst && own.includes('epub') ? (['epub', ...own] as const) : own;
  const named = [TYPES.divina, TYPES.webpub].filter((type) => accept.includes(type));
  const wanted = named.length === 1 ? profiles.find((profile) => named.includes(TYPE_OF[profile] as never)) : undefined;
  return wanted ?? profiles[0] ?? 'divina';
};

/** Throws BadRequest where the book cannot be shown in this way. */
export const requireProfile = (publication: Publication, profile: Profile): void => {
  if (!profilesOf(publication).includes(profile))
    throw new AppError(
      'BadRequest',
      `This book has no ${profile} manifest; it has ${profilesOf(publication).join(', ')}.`,
    );
};
