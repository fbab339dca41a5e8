// Large answers are built in memory: limits the size of one, and of all that are being built at once.
import { AppError } from '../model/errors.js';
import type { Asker } from '../store/reader-pool.js';
import { Semaphore } from './semaphore.js';

const MIB = 1024 * 1024;
/** Smaller answers never wait. */
const SMALL_BYTES = MIB;
const ANSWER_BYTES_MAX = 32 * MIB;
const TOTAL_BYTES = 48 * MIB;
const QUEUE_LENGTH = 200;
const WAIT_MS = 20_000;

/** An estimate, known before the answer is built. */
export interface AnswerSize {
  readonly rows: number;
  readonly bytes: number;
}

export class Answers {
  readonly #room: Semaphore;

  constructor(totalBytes: number = TOTAL_BYTES, waitMs: number = WAIT_MS) {
    this.#room = new Semaphore(totalBytes, QUEUE_LENGTH, waitMs);
  }

  /** Builds an answer once there is room for it; users take turns. A single row is never refused: no client could request less. */
  make<T>(asker: Asker, { rows, bytes }: AnswerSize, body: () => Promise<T>): Promise<T> {
    if (rows > 1 && bytes > ANSWER_BYTES_MAX) {
      const size = `${rows} rows and about ${Math.ceil(bytes / MIB)} MB; the limit is ${ANSWER_BYTES_MAX / MIB} MB`;
      const fitting = Math.max(1, Math.floor((rows * ANSWER_BYTES_MAX) / bytes));
      return Promise.reject(
        new AppError(
          'BadRequest',
          `This answer would have ${size}. Request pages of about ${fitting} rows, or omit full=true.`,
        ),
      );
    }
    return bytes < SMALL_BYTES ? body() : this.#room.with(bytes, body, asker);
  }
}
