// Was über Dateien gesagt wird, die sich nicht lesen lassen, und über das Ende von Scans, auf Deutsch.
import { numbersIn } from './numbers.js';
import type { ProblemMessages } from './problems-en.js';

const { number, counted } = numbersIn('de');

export const problemsDe = {
  title: 'Probleme mit Dateien',
  none: 'Alle Dateien lassen sich lesen, und es wurden keine Probleme gefunden.',
  lead: 'Dateien werden nie verändert. Ersetze eine beschädigte Datei durch eine gute Kopie; der nächste Scan bemerkt es.',
  unreadable: (count: number): string => `${counted(count, 'Buch lässt', 'Bücher lassen')} sich nicht lesen`,
  among: (count: number): string => `${number(count)} nicht lesbar`,
  cannotBeRead: 'Nicht lesbar',
  canBeRead: 'Lesbar, mit Problemen',
  retry: 'Noch einmal versuchen',
  retryOf: (title: string): string => `Noch einmal versuchen: ${title}`,
  retryAll: 'Alle noch einmal versuchen',
  begun: (count: number): string => `${counted(count, 'Datei wird', 'Dateien werden')} neu gelesen.`,
  more: 'Mehr anzeigen',
  kinds: {
    format_detection: 'Name und Inhalt passen nicht zusammen',
    parser: 'Lesen der Datei',
    metadata: 'Metadaten',
    thumbnail: 'Titelbild',
    page_extraction: 'Seiten',
    pdf_rendering: 'Seiten von PDF-Dokumenten',
    zero_pages: 'Keine Seiten',
    other: 'Sonstiges',
  },
  nothingNew: 'Nichts Neues',
  isNew: (count: number): string => `${number(count)} neu`,
  changed: (count: number): string => `${number(count)} geändert`,
  gone: (count: number): string => `${number(count)} verschwunden`,
  stopped: 'Der Scan wurde gestoppt.',
  failed: 'Der Scan ist fehlgeschlagen.',
} satisfies ProblemMessages;
