// The modules of the screens that are loaded when they are first shown, by the names of their addresses: the page at an address names what its
// screen needs, so that a browser requests it at once.
const BROWSING = 'screens/browsing.ts';

export const SCREEN_MODULES = {
  setUp: 'screens/set-up.tsx',
  signIn: 'screens/sign-in.tsx',
  register: 'screens/register.tsx',
  forgotPassword: 'screens/forgot-password.tsx',
  verifyEmail: 'screens/verify-email.tsx',
  resetPassword: 'screens/reset-password.tsx',
  signedOn: 'screens/signed-on.tsx',
  libraries: BROWSING,
  newLibrary: BROWSING,
  library: BROWSING,
  unreadable: BROWSING,
  browse: BROWSING,
  series: BROWSING,
  search: BROWSING,
  settings: 'screens/settings.tsx',
  apps: 'screens/apps.tsx',
  book: BROWSING,
  read: 'reader/reader.tsx',
  wanted: BROWSING,
  collections: BROWSING,
  collection: BROWSING,
  readLists: BROWSING,
  readList: BROWSING,
} as const;
