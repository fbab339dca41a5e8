// The latest log lines, kept in memory for administrators.
export interface LogLine {
  readonly at: number;
  readonly level: string;
  readonly message: string;
  /** Numbers and names that belong to the line. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** Where an error came from. */
  readonly stack: string | null;
}

const LINES_MAX = 1000;
const BYTES_MAX = 1024 * 1024;
const TEXT_MAX = 8 * 1024;
/** Of a line, besides its texts. */
const FRAME_BYTES = 200;

const shortened = (text: string): string => (text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`);

const weightOf = ({ message, facts, stack }: LogLine): number =>
  FRAME_BYTES + 2 * (message.length + (stack?.length ?? 0) + JSON.stringify(facts).length);

export class RecentLog {
  readonly #lines: LogLine[] = [];
  readonly #linesMax: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(linesMax: number = LINES_MAX, bytesMax: number = BYTES_MAX) {
    this.#linesMax = linesMax;
    this.#bytesMax = bytesMax;
  }

  /** Of too many lines the oldest go. */
  add({ message, stack, ...line }: LogLine): void {
    const kept = { ...line, message: shortened(message), stack: stack === null ? null : shortened(stack) };
    this.#lines.push(kept);
    this.#bytes += weightOf(kept);
    while (this.#lines.length > this.#linesMax || (this.#bytes > this.#bytesMax && this.#lines.length > 1)) {
      const oldest = this.#lines.shift();
      if (oldest === undefined) return;
      this.#bytes -= weightOf(oldest);
    }
  }

  /** The newest first. */
  last(count: number): readonly LogLine[] {
    return this.#lines.slice(-count).reverse();
  }
}
