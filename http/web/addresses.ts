// The addresses of the web client: the page answers exactly these, and the client's own router knows them by these names. Of two that fit,
// the first counts.

export const ADDRESSES = {
  home: '/',
  setUp: '/setup',
  signIn: '/sign-in',
  register: '/register',
  forgotPassword: '/forgot-password',
  verifyEmail: '/auth/verify-email',
  resetPassword: '/auth/reset-password',
  signedOn: '/auth/sign-on',
  libraries: '/libraries',
  newLibrary: '/libraries/new',
  library: '/libraries/{id}',
  unreadable: '/unreadable',
  browse: '/browse',
  series: '/series/{id}',
  book: '/books/{id}',
  read: '/read/{id}',
  wanted: '/want-to-read',
  collections: '/collections',
  collection: '/collections/{id}',
  readLists: '/readlists',
  readList: '/readlists/{id}',
  search: '/search',
  settings: '/settings',
  apps: '/settings/apps',
} as const;

export type ScreenName = keyof typeof ADDRESSES;
