// Alle Meldungen auf Deutsch.
import type { Messages } from './en.js';

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('de')} ${count === 1 ? one : many}`;

export const de = {
  app: {
    skip: 'Zum Inhalt springen',
    menu: 'Hauptmenü',
    home: 'Start',
    libraries: 'Bibliotheken',
    search: 'Suche',
    settings: 'Einstellungen',
    notFound: 'Hier ist nichts',
    notFoundText: 'Die Adresse ist falsch, oder was hier war, wurde entfernt.',
    toHome: 'Zur Startseite',
    loading: 'Lädt',
    unreachable: 'Der Server ist nicht erreichbar.',
    failed: 'Etwas ist schiefgegangen.',
    again: 'Noch einmal versuchen',
  },
  door: {
    signIn: 'Anmelden',
    userName: 'Benutzername oder E-Mail-Adresse',
    password: 'Passwort',
    show: 'Passwort zeigen',
    hide: 'Passwort verbergen',
    wrong: 'Benutzername und Passwort gehören nicht zusammen.',
    signInWith: (provider: string): string => `Anmelden mit ${provider}`,
    ended: 'Die Anmeldung ist abgelaufen',
    endedText: 'Nach dem Anmelden geht es hier weiter.',
    otherAccount: 'Als jemand anders anmelden',
    setUp: 'Willkommen bei Longbox',
    setUpText: 'Lege das erste Konto an. Es verwaltet diesen Server.',
    name: 'Benutzername',
    email: 'E-Mail-Adresse',
    passwordHint:
      'Mindestens 8 Zeichen, darunter ein Großbuchstabe, ein Kleinbuchstabe, eine Ziffer und eines von !@#$%^&*.',
    create: 'Konto anlegen',
    signOut: 'Abmelden',
  },
  home: {
    title: 'Start',
    continue: 'Weiterlesen',
    onDeck: 'Als Nächstes',
    added: 'Neu hinzugefügt',
    wanted: 'Merkliste',
    empty: 'Noch keine Bücher',
    emptyText: 'Füge einen Ordner mit Comics, Manga oder Büchern hinzu, dann erscheinen sie hier.',
    emptyReader: 'Sobald Bücher hinzugefügt wurden, erscheinen sie hier.',
    addLibrary: 'Bibliothek hinzufügen',
  },
  book: {
    read: 'Lesen',
    goOn: (page: number): string => `Weiter auf Seite ${page}`,
    readAgain: 'Noch einmal lesen',
    pages: (count: number): string => counted(count, 'Seite', 'Seiten'),
    left: (count: number): string => `noch ${counted(count, 'Seite', 'Seiten')}`,
    isRead: 'Gelesen',
    number: (number: string): string => `Nr. ${number}`,
    unreadable: 'Dieses Buch ist nicht lesbar',
    missing: 'Die Datei dieses Buchs fehlt.',
  },
} satisfies Messages;
