// The addresses of the web client: the page answers exactly these, and the client's own router knows them by these names.

export const ADDRESSES = {
  home: '/',
  setUp: '/setup',
  signIn: '/sign-in',
  book: '/books/{id}',
  read: '/read/{id}',
} as const;

export type ScreenName = keyof typeof ADDRESSES;
