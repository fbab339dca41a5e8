// Was der Reader sagt, auf Deutsch.
import type { Missing } from '../reader/rules/missing-books.js';
import type { ReaderMessages } from './reader-en.js';
import { settingsDe } from './reader-settings-de.js';

const KEY_NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageDown: 'Bild ↓',
  PageUp: 'Bild ↑',
  Space: 'Leertaste',
  Enter: 'Eingabe',
  Home: 'Pos1',
  End: 'Ende',
  Escape: 'Esc',
  Shift: 'Umschalt',
  Ctrl: 'Strg',
};

const MISSING: Readonly<Record<Missing['kind'], readonly [one: string, many: string]>> = {
  chapter: ['Kapitel', 'Die Kapitel'],
  number: ['Nummer', 'Die Nummern'],
  volume: ['Band', 'Die Bände'],
};

const ROWS = ['Oben', 'Mitte', 'Unten'];
const COLUMNS = ['links', 'mittig', 'rechts'];

export const readerDe: ReaderMessages = {
  page: {
    region: 'Seiten',
    alt: (page) => `Seite ${page}`,
    of: (first, last, count) =>
      first === last ? `Seite ${last} von ${count}` : `Seiten ${first}–${last} von ${count}`,
    short: (first, last, count) => (first === last ? `${last} / ${count}` : `${first}–${last} / ${count}`),
    jump: (count) => `Seitenzahl (1 bis ${count})`,
    go: 'Zur Seite',
    goTo: (page) => `Zu Seite ${page}`,
    failed: (page) => `Seite ${page} konnte nicht geladen werden.`,
    again: 'Noch einmal versuchen',
    none: 'Dieses Buch hat noch keine Seiten, die sich zeigen lassen.',
    ofText: 'Dieses Buch besteht aus Text. Bisher lassen sich hier nur Bücher aus Bildern lesen.',
  },
  bar: {
    back: 'Buch verlassen',
    close: 'Schließen',
    settings: 'Leseeinstellungen',
    pages: 'Alle Seiten',
    keys: 'Tastenkürzel',
    fullscreen: 'Vollbild',
    incognito: 'Lesen, ohne den Fortschritt zu speichern',
    nextBook: 'Nächstes Buch',
    previousBook: 'Voriges Buch',
    page: 'Seite',
  },
  end: {
    after: 'Nach der letzten Seite',
    before: 'Vor der ersten Seite',
    finished: (title) => `Ende von ${title}`,
    begins: (title) => `Anfang von ${title}`,
    next: 'Als Nächstes',
    previous: 'Davor',
    openNext: 'Nächstes Buch lesen',
    openPrevious: 'Zum vorigen Buch',
    isRead: 'Dieses Buch hast du schon gelesen.',
    lastOf: (series) => `Es gibt kein späteres Buch in ${series}.`,
    firstOf: (series) => `Es gibt kein früheres Buch in ${series}.`,
    show: 'Dieses Buch anzeigen',
    leave: 'Buch verlassen',
    units: {
      volume: 'Ein ganzer Band, kein Kapitel.',
      chapter: 'Ein einzelnes Kapitel, kein Band.',
      extra: 'Ein Extra außerhalb der Zählung.',
    },
    others: {
      translator: (name) => `Andere Übersetzung: ${name}.`,
      language: (name) => `In einer anderen Sprache: ${name}.`,
    },
    missing: ({ kind, from, to }) =>
      from === to ? `${MISSING[kind][0]} ${from} fehlt.` : `${MISSING[kind][1]} ${from} bis ${to} fehlen.`,
  },
  otherDevice: {
    said: (page) => `Auf einem anderen Gerät hast du bis Seite ${page} gelesen. Dorthin springen?`,
    go: 'Dorthin springen',
    stay: 'Hier bleiben',
  },
  note: {
    incognito: 'Der Fortschritt wird nicht gespeichert',
    notIncognito: 'Der Fortschritt wird wieder gespeichert',
    running: 'Automatischer Vorlauf an',
    stopped: 'Automatischer Vorlauf aus',
    start: 'Automatischen Vorlauf starten',
    stop: 'Automatischen Vorlauf anhalten',
    speed: (speed) => `${speed} Pixel pro Sekunde`,
    seconds: (seconds) => `${seconds} s pro Seite`,
    offset: 'Paare um eine Seite verschoben',
    notOffset: 'Paare wie erkannt',
  },
  groups: {
    layout: 'Seiten',
    size: 'Größe',
    look: 'Bildschirm',
    colour: 'Farben',
    touch: 'Touch',
    auto: 'Automatischer Vorlauf',
    books: 'Nächstes Buch',
  },
  ...settingsDe,
  incognitoExplained: 'In diesem Fenster, bis du es ausschaltest.',
  target: {
    legend: 'Änderungen gelten für',
    scope: 'Bereich',
    device: 'Geräte',
    scopes: {
      series: (name) => name,
      library: (name) => `Alles in ${name}`,
      everything: () => 'Alles, was ich lese',
    },
    devices: { phone: 'Auf Telefonen', tablet: 'Auf Tablets', desktop: 'Auf Computern' },
    anyDevice: 'Auf allen Geräten',
    unstored: 'Die Einstellungen konnten nicht gespeichert werden. Sie gelten vorerst.',
    isSet: 'Hier festgelegt.',
    hidden: {
      series: 'Für diese Serie gilt ein eigener Wert; eine Änderung hier ersetzt ihn.',
      library: 'Für diese Bibliothek gilt ein eigener Wert; eine Änderung hier ersetzt ihn.',
      device: 'Für diese Art von Gerät gilt ein eigener Wert; eine Änderung hier ersetzt ihn.',
    },
    reset: 'Diese Einstellungen zurücksetzen',
    wasReset: 'Zurückgesetzt.',
  },
  zones: {
    legend: 'Wirkung beim Tippen',
    show: 'Zonen anzeigen',
    hide: 'Zonen ausblenden',
    middle: 'Keine Zone öffnet das Menü, daher öffnet es die Mitte.',
    field: (index, action) => `${ROWS[Math.floor(index / 3)]}, ${COLUMNS[index % 3]}: ${action}`,
    actions: { next: 'Weiter', previous: 'Zurück', menu: 'Menü', none: 'Nichts' },
  },
  keys: {
    hint: 'Wähle + und drücke eine Taste, um sie hinzuzufügen. Wähle eine Taste, um sie zu entfernen.',
    press: 'Taste drücken',
    reset: 'Standardtasten wiederherstellen',
    add: (action) => `Taste hinzufügen: ${action}`,
    remove: (combo, action) => `${combo} entfernen: ${action}`,
    taken: (combo, action) => `${combo} steht nicht mehr für: ${action}.`,
    name: (combo) =>
      combo
        .split(/\+(?=.)/)
        .map((part) => KEY_NAMES[part] ?? part)
        .join(' '),
  },
  actions: {
    next: 'Weiter',
    previous: 'Zurück',
    'turn-left': 'Nach links blättern',
    'turn-right': 'Nach rechts blättern',
    'scroll-down': 'Nach unten scrollen',
    'scroll-up': 'Nach oben scrollen',
    first: 'Erste Seite',
    last: 'Letzte Seite',
    'next-book': 'Nächstes Buch',
    'previous-book': 'Voriges Buch',
    pages: 'Alle Seiten',
    menu: 'Menü',
    settings: 'Einstellungen',
    help: 'Tastenkürzel',
    fullscreen: 'Vollbild',
    mode: 'Seiten oder Streifen',
    fit: 'Einpassung wechseln',
    double: 'Eine oder zwei Seiten',
    offset: 'Paare um eine Seite verschieben',
    direction: 'Richtung wechseln',
    'zoom-in': 'Vergrößern',
    'zoom-out': 'Verkleinern',
    'zoom-reset': 'Zoom zurücksetzen',
    'auto-scroll': 'Automatischer Vorlauf',
    faster: 'Schneller',
    slower: 'Langsamer',
    incognito: 'Lesen, ohne den Fortschritt zu speichern',
    close: 'Buch verlassen',
  },
};
