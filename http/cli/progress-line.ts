// The progress line of a running scan: its text (pure) and how it is drawn. Knows nothing of how scans work.
import type { Clock } from '../../core/engine/clock.js';
import { counted, printable } from './printable.js';

export interface ScanStatus {
  readonly phase: 'discovering' | 'analysing' | 'covers';
  readonly libraryName: string;
  readonly filesFound: number;
  /** In the phase of covers: books whose covers are made. */
  readonly booksDone: number;
  readonly booksTotal: number;
  /** Books that could not be read. */
  readonly errors: number;
  /** Files or books per second; 0 while unknown. */
  readonly ratePerS: number;
}

/** process.stdout and process.stderr are such outputs. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressWriter {
  /** Shows the status if it is due; may be called at any rate. */
  show(status: ScanStatus): void;
  /** Erases the line from a terminal, so that something else can be printed; the next `show` draws it again. */
  clear(): void;
  /** Writes the last status as a full line. */
  end(status: ScanStatus): void;
}

const REDRAW_MS = 100;
const LINE_EVERY_MS = 5000;
const DEFAULT_COLUMNS = 80;
const NAME_COLUMNS_MIN = 8;

// Terminals draw these two columns wide: Hangul, kana, Han, full-width forms, emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\u200b-\u200f]/u;

const columnsOf = (char: string): number => {
  if (ZERO_WIDTH.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
};

const widthOf = (text: string): number => [...text].reduce((sum, char) => sum + columnsOf(char), 0);

/** Cut to a number of columns, with a mark where text is missing. */
const clip = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text;
  let used = 1;
  let kept = '';
  for (const char of text) {
    used += columnsOf(char);
    if (used > columns) break;
    kept += char;
  }
  return columns < 1 ? '' : `${kept}…`;
};

/** Nothing for a rate that would be rounded to 0. */
const rateText = (ratePerS: number): readonly string[] => {
  if (!(ratePerS >= 0.05) || !Number.isFinite(ratePerS)) return [];
  return [ratePerS >= 10 ? `${Math.round(ratePerS)}/s` : `${Math.round(ratePerS * 10) / 10}/s`];
};

/** An estimate is rounded: the longer, the coarser. */
const leftText = (seconds: number): string => {
  if (seconds < 1) return 'almost done';
  if (seconds < 100) return `about ${Math.ceil(seconds)} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `about ${minutes} min left`;
  const hours = Math.round(minutes / 60);
  return hours < 100 ? `about ${hours} h left` : `about ${Math.round(hours / 24)} days left`;
};

/** While no file is counted nothing is known: the count may follow only after the walk. */
const discoveryFacts = ({ filesFound, ratePerS }: ScanStatus): readonly string[] => [
  ...(filesFound > 0 ? [`${counted(filesFound, 'file')} found`] : []),
  ...rateText(ratePerS),
];

const analysisFacts = ({ phase, booksDone, booksTotal, ratePerS }: ScanStatus): readonly string[] => {
  const rest = Math.max(0, booksTotal - booksDone);
  const isMoving = ratePerS > 0 && Number.isFinite(ratePerS);
  return [
    `${booksDone}/${booksTotal} ${phase === 'covers' ? 'covers' : 'books'}`,
    ...rateText(ratePerS),
    ...(isMoving && rest > 0 ? [leftText(rest / ratePerS)] : []),
  ];
};

const VERBS = {
  discovering: 'Looking through',
  analysing: 'Scanning',
  covers: 'Making covers of',
} as const satisfies Record<ScanStatus['phase'], string>;

/** The line for a status, at most `columns` wide. A long library name is shortened first. */
export const progressLine = (status: ScanStatus, columns = Infinity): string => {
  const facts = status.phase === 'discovering' ? discoveryFacts(status) : analysisFacts(status);
  const faults = status.errors > 0 ? [counted(status.errors, 'warning')] : [];
  const tail = ['', ...facts, ...faults].join('  ');
  const verb = VERBS[status.phase];
  const room = columns - widthOf(verb) - 1 - widthOf(tail);
  const name = clip(printable(status.libraryName), Math.max(NAME_COLUMNS_MIN, room));
  return clip(`${verb} ${name}${tail}`, columns);
};

const createTerminalWriter = (out: ProgressOutput, clock: Clock): ProgressWriter => {
  let drawn = 0;
  let drawnAtMs = -Infinity;
  const clear = (): void => {
    if (drawn > 0) out.write(`\r${' '.repeat(drawn)}\r`);
    drawn = 0;
    drawnAtMs = -Infinity;
  };
  const draw = (status: ScanStatus): void => {
    // The last column stays free: filling it makes some terminals start a new line.
    const line = progressLine(status, Math.max(1, (out.columns || DEFAULT_COLUMNS) - 1));
    const width = widthOf(line);
    out.write(`\r${line}${' '.repeat(Math.max(0, drawn - width))}`);
    drawn = width;
  };
  return {
    show: (status) => {
      if (clock.elapsed() - drawnAtMs < REDRAW_MS) return;
      drawnAtMs = clock.elapsed();
      draw(status);
    },
    clear,
    end: (status) => {
      draw(status);
      out.write('\n');
      drawn = 0;
      drawnAtMs = -Infinity;
    },
  };
};

/** For files, pipes and journals: whole lines, few of them, none repeated. */
const createLineWriter = (out: ProgressOutput, clock: Clock): ProgressWriter => {
  let written = '';
  let writtenAtMs = -Infinity;
  const write = (status: ScanStatus): void => {
    const line = progressLine(status);
    writtenAtMs = clock.elapsed();
    if (line !== written) out.write(`${line}\n`);
    written = line;
  };
  return {
    show: (status) => {
      if (clock.elapsed() - writtenAtMs >= LINE_EVERY_MS) write(status);
    },
    clear: () => {},
    end: write,
  };
};

export const createProgressWriter = (out: ProgressOutput, clock: Clock): ProgressWriter =>
  out.isTTY === true ? createTerminalWriter(out, clock) : createLineWriter(out, clock);
