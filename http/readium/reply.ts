// Documents of the Readium kind as replies: manifests, lists of positions, parts of an EPUB.
import { createHash } from 'node:crypto';
import type { Content } from '../../core/pages/content.js';
import type { Publication } from '../../core/pages/publication.js';
import type { Reply, Request } from '../server/adapter.js';
import { FOR_BOOK_PARTS } from '../server/security-headers.js';
import { hasTag, requireMatch } from '../surface/preconditions.js';
import { media, type Replies } from '../surface/replies.js';
import { contentReply } from '../surface/reply.js';
import { type Addresses, addressesOf } from './addresses.js';
import { type Profile, profileFor, requireProfile } from './choice.js';
import { TYPES } from './link.js';
import { divinaManifest, epubManifest, pdfManifest } from './manifests.js';

export const MANIFEST: Replies = { 200: media(TYPES.divina, TYPES.webpub), 304: null };
export const POSITION_LIST: Replies = { 200: media(TYPES.positions), 304: null };
/** A part may be of any type. */
export const PART: Replies = { 200: media('*/*'), 304: null };

/** Tags of equal documents are equal. */
const tagOf = (text: string): string => createHash('sha1').update(text).digest('base64url');

/** Leaves out what is undefined. */
export const documentReply = (
  type: string,
  document: unknown,
  request: Request,
  headers: Reply['headers'] = [],
): Reply => {
  const text = JSON.stringify(document);
  const tag = tagOf(text);
  requireMatch(request.header('if-match'), tag);
  const caching: Reply['headers'] = [['ETag', `"${tag}"`], ['Cache-Control', 'private, no-cache'], ...headers];
  if (hasTag(request.header('if-none-match'), tag)) return { status: 304, headers: caching, body: { kind: 'none' } };
  return { status: 200, headers: [['Content-Type', type], ...caching], body: { kind: 'bytes', bytes: text } };
};

const VIEWS = {
  divina: { view: divinaManifest, type: TYPES.divina },
  epub: { view: epubManifest, type: TYPES.webpub },
  pdf: { view: pdfManifest, type: TYPES.webpub },
} as const satisfies Record<Profile, unknown>;

/** Where the rows of a book are: the public address with the prefix of the surface, and the id as the surface writes it. */
export interface Where {
  readonly root: string;
  readonly bookId: string;
  /** Whether an EPUB of images is an EPUB first, for apps that choose by its type. */
  readonly isEpubFirst?: true;
  /** Whether the surface serves each page of a PDF as a document, at `/pages/{number}/raw`. */
  readonly hasRawPages?: true;
}

const selfOf = ({ manifest, divina, epub }: Addresses, wanted: Profile | null): string => {
  if (wanted === null) return manifest;
  return { divina, epub, pdf: `${manifest}/pdf` }[wanted];
};

/** `wanted`: the profile that the address names; null: by the book, and by what the app reads. */
export const manifestReply = (
  publication: Publication,
  wanted: Profile | null,
  { root, bookId, isEpubFirst, hasRawPages }: Where,
  request: Request,
): Reply => {
  if (wanted !== null) requireProfile(publication, wanted);
  const addresses = addressesOf(root, bookId);
  const { view, type } = VIEWS[wanted ?? profileFor(publication, request.header('accept'), isEpubFirst)];
  const documentOfPage = hasRawPages === true ? (page: number) => `${addresses.page(page)}/raw` : null;
  const document = view(publication, { ...addresses, self: selfOf(addresses, wanted), documentOfPage });
  return documentReply(type, document, request, wanted === null ? [['Vary', 'Accept']] : []);
};

/** Stays synchronous when the content is available at once. */
export const partReply = (content: Content | Promise<Content>, request: Request): Reply | Promise<Reply> =>
  content instanceof Promise
    ? content.then((ready) => contentReply(ready, request, { security: FOR_BOOK_PARTS }))
    : contentReply(content, request, { security: FOR_BOOK_PARTS });
