// All messages in English. Other languages say the same under the same names.

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export const en = {
  app: {
    skip: 'Skip to the content',
    menu: 'Main',
    home: 'Home',
    libraries: 'Libraries',
    search: 'Search',
    settings: 'Settings',
    notFound: 'There is nothing here',
    notFoundText: 'The address may be wrong, or what was here has been removed.',
    toHome: 'Go to the start page',
    loading: 'Loading',
    unreachable: 'The server cannot be reached.',
    failed: 'Something went wrong.',
    again: 'Try again',
  },
  door: {
    signIn: 'Sign in',
    userName: 'User name or e-mail address',
    password: 'Password',
    show: 'Show password',
    hide: 'Hide password',
    wrong: 'This user name and password do not belong together.',
    signInWith: (provider: string): string => `Sign in with ${provider}`,
    ended: 'Your session has ended',
    endedText: 'Sign in again to go on where you are.',
    otherAccount: 'Sign in as somebody else',
    setUp: 'Welcome to Longbox',
    setUpText: 'Create the first account. It administers this server.',
    name: 'User name',
    email: 'E-mail address',
    passwordHint:
      'At least 8 characters, among them an upper-case and a lower-case letter, a digit and one of !@#$%^&*.',
    create: 'Create the account',
    signOut: 'Sign out',
  },
  home: {
    title: 'Home',
    continue: 'Continue reading',
    onDeck: 'Up next',
    added: 'Recently added',
    wanted: 'Want to read',
    empty: 'There are no books yet',
    emptyText: 'Add a folder with comics, manga or books, and they appear here.',
    emptyReader: 'As soon as an administrator has added books, they appear here.',
    addLibrary: 'Add a library',
  },
  book: {
    read: 'Read',
    goOn: (page: number): string => `Continue on page ${page}`,
    readAgain: 'Read again',
    pages: (count: number): string => counted(count, 'page', 'pages'),
    left: (count: number): string => `${counted(count, 'page', 'pages')} left`,
    isRead: 'Read',
    number: (number: string): string => `No. ${number}`,
    unreadable: 'This book cannot be read',
    missing: 'The file of this book is missing.',
  },
};

/** Every language says all that English says. */
export type Messages = typeof en;
