// Media types of OPDS 1.2 and 2.0, and those of the files that it offers.
import type { BookFormat } from '../../core/model/formats.js';
import type { FeedKind } from './feed.js';

const ATOM = 'application/atom+xml;profile=opds-catalog';

export const ATOM_FEED: Readonly<Record<FeedKind, string>> = {
  navigation: `${ATOM};kind=navigation`,
  acquisition: `${ATOM};kind=acquisition`,
};
export const ATOM_PAGES = ATOM;
export const ATOM_ENTRY = 'application/atom+xml;type=entry;profile=opds-catalog';
export const OPENSEARCH = 'application/opensearchdescription+xml';
export const JSON_FEED = 'application/opds+json';
export const JSON_PUBLICATION = 'application/opds-publication+json';
export const AUTHENTICATION = 'application/opds-authentication+json';

/** The names that reader apps know; the older ones of the API are not among them for all formats. */
export const FILE_TYPES: Readonly<Record<BookFormat, string>> = {
  cbz: 'application/vnd.comicbook+zip',
  cbr: 'application/vnd.comicbook-rar',
  cbt: 'application/x-cbt',
  epub: 'application/epub+zip',
  pdf: 'application/pdf',
};

export const REL = {
  acquisition: 'http://opds-spec.org/acquisition',
  image: 'http://opds-spec.org/image',
  thumbnail: 'http://opds-spec.org/image/thumbnail',
  facet: 'http://opds-spec.org/facet',
  newest: 'http://opds-spec.org/sort/new',
  stream: 'http://vaemendis.net/opds-pse/stream',
  page: 'http://vaemendis.net/opds-pse/page',
  authentication: 'http://opds-spec.org/auth/document',
} as const;
