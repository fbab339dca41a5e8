// Was darüber gesagt wird, woher Titel und Nummern kommen, auf Deutsch.
import type { NamingMessages } from './naming-en.js';
import { numbersIn } from './numbers.js';

const { number, counted } = numbersIn('de');

export const namingDe = {
  label: 'Titel und Nummern',
  options: {
    metadata: 'Metadaten, dann Dateinamen',
    names: 'Dateinamen, der Reihe nach',
    other: 'Wie von einer anderen App eingestellt',
  },
  hint: 'Metadaten sind, was Dateien über sich selbst sagen (ComicInfo, OPF).',
  examples: 'Zum Beispiel',
  byOrder: 'Die Nummern folgen der Reihenfolge der Dateien im Ordner.',
  changes: (changed: number, books: number): string =>
    `${number(changed)} von ${number(books)} Büchern würden anders heißen oder anders nummeriert.`,
  changesMore: (changed: number, books: number): string =>
    `${number(changed)} der ersten ${number(books)} Bücher würden anders heißen oder anders nummeriert.`,
  none: 'Kein Buch würde anders heißen oder anders nummeriert.',
  looking: 'Die Bücher werden angesehen …',
  applied:
    'Nach dem Speichern heißen neue Bücher sofort so. Alle anderen folgen mit einem gründlichen Scan, der dann beginnt.',
  begun: (name: string): string =>
    `Die Bücher von ${name} werden neu gelesen. Titel und Nummern ändern sich währenddessen.`,
  offer: (changed: number): string =>
    `Die Dateien sagen mehr, als gezeigt wird: ${counted(changed, 'Buch bekäme', 'Bücher bekämen')} Titel und Nummern aus Metadaten.`,
  show: 'Zeigen, was sich ändern würde',
  decline: 'So lassen',
} satisfies NamingMessages;

export const discardDe = {
  discardTitle: 'Änderungen verwerfen?',
  discardText: 'Was du eingegeben hast, ist noch nicht gespeichert.',
  discard: 'Verwerfen',
  keep: 'Weiter bearbeiten',
};
