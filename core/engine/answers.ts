// Room for large answers, which are made in memory: how large one may be, and how much all that are being made may take together.
import { AppError } from '../model/errors.js';
import { Semaphore } from './semaphore.js';

const MIB = 1024 * 1024;
/** Smaller ones never wait. */
const SMALL_BYTES = MIB;
const ANSWER_BYTES_MAX = 32 * MIB;
const TOTAL_BYTES = 48 * MIB;
const QUEUE_LENGTH = 200;
const WAIT_MS = 20_000;

/** An estimate, known before the answer is made. */
export interface AnswerSize {
  readonly rows: number;
  readonly bytes: number;
}

export class Answers {
  readonly #room: Semaphore;

  constructor(totalBytes: number = TOTAL_BYTES, waitMs: number = WAIT_MS) {
    this.#room = new Semaphore(totalBytes, QUEUE_LENGTH, waitMs);
  }

  /** Makes an answer once there is room for it. A row on its own is never refused: nobody could ask for less. */
  make<T>({ rows, bytes }: AnswerSize, body: () => Promise<T>): Promise<T> {
    if (rows > 1 && bytes > ANSWER_BYTES_MAX) {
      const size = `${rows} rows of about ${Math.ceil(bytes / MIB)} MB; at most ${ANSWER_BYTES_MAX / MIB} MB are sent at once`;
      return Promise.reject(
        new AppError('BadRequest', `This answer would have ${size}. Ask for smaller pages, or without full=true.`),
      );
    }
    return bytes < SMALL_BYTES ? body() : this.#room.with(bytes, body);
  }
}
