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
  hint: 'Metadaten sind Angaben, die in den Dateien oder neben ihnen stehen (ComicInfo, OPF).',
  examples: 'Zum Beispiel',
  byOrder: 'Die Nummern folgen der Reihenfolge der Dateien im Ordner.',
  changes: (changed: number, books: number): string =>
    `${number(changed)} von ${counted(books, 'Buch', 'Büchern')} ${changed === 1 ? 'bekäme' : 'bekämen'} einen anderen Titel oder eine andere Nummer.`,
  changesMore: (changed: number, books: number): string =>
    `${number(changed)} der ersten ${number(books)} Bücher ${changed === 1 ? 'bekäme' : 'bekämen'} einen anderen Titel oder eine andere Nummer.`,
  none: 'Kein Buch bekäme einen anderen Titel oder eine andere Nummer.',
  looking: 'Die Bücher werden angesehen …',
  applied:
    'Mit dem Speichern gilt das sofort für neue Bücher. Dann beginnt ein gründlicher Scan und wendet es auf alle anderen an.',
  begun: (name: string): string =>
    `Die Bücher von ${name} werden neu gelesen. Titel und Nummern ändern sich währenddessen.`,
  offer: (changed: number): string =>
    `Die Titel hier stammen aus Dateinamen: ${counted(changed, 'Buch bekäme', 'Bücher bekämen')} Titel und Nummern aus Metadaten.`,
  show: 'Zeigen, was sich ändern würde',
  decline: 'So lassen',
} satisfies NamingMessages;

export const discardDe = {
  discardTitle: 'Änderungen verwerfen?',
  discardText: 'Was du eingegeben hast, ist noch nicht gespeichert.',
  discard: 'Verwerfen',
  keep: 'Weiter bearbeiten',
};
