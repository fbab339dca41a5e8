// Hostile files one after the other, made by another process.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Subject } from './seeds.js';

export interface MadeFile {
  /** Which of its seed it is. */
  readonly number: number;
  readonly path: string;
  /** The fixture that was changed. */
  readonly from: string;
  readonly recipe: string;
}

const MAKER = fileURLToPath(new URL('./maker.js', import.meta.url));

export class MadeFiles {
  readonly #maker: ChildProcess;
  readonly #waiting: { resolve: (made: MadeFile) => void; reject: (why: Error) => void }[] = [];

  constructor(subject: Subject, seed: number, folder: string) {
    this.#maker = fork(MAKER, [subject, String(seed), folder]);
    this.#maker.on('message', (made: MadeFile) => this.#waiting.shift()?.resolve(made));
    this.#maker.on('exit', (code) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the maker of files ended with ${code}`));
    });
  }

  next(): Promise<MadeFile> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#maker.send('next');
    });
  }

  close(): void {
    if (this.#maker.connected) this.#maker.disconnect();
  }
}
