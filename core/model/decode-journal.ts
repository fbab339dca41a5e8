// Which images are being decoded, on disk: if an image killed the process, it is among the entries left here. One file of equal slots, one
// for each thread. Written without waiting for the disk: the system keeps what a killed process wrote.

const SLOT_BYTES = 256;
const SLOTS = 512;
export const JOURNAL_BYTES = SLOT_BYTES * SLOTS;

/** The first byte of a slot; 0 when nothing is being decoded. */
const STATE = { ordinary: 1, large: 2 } as const;

/** Threads are numbered from the start of the process. */
export const slotAt = (thread: number): number => (thread % SLOTS) * SLOT_BYTES;

export const begunRecord = (key: string): Buffer => {
  const record = Buffer.alloc(SLOT_BYTES);
  record[0] = STATE.ordinary;
  record.write(key, 1, SLOT_BYTES - 2, 'latin1');
  return record;
};

export const LARGE_RECORD = Buffer.from([STATE.large]);
export const ENDED_RECORD = Buffer.alloc(1);

export interface Unfinished {
  readonly key: string;
  /** Decoding it takes enough memory to be counted in the budget. */
  readonly isLarge: boolean;
}

export const unfinishedIn = (journal: Buffer): readonly Unfinished[] => {
  const found: Unfinished[] = [];
  for (let at = 0; at + SLOT_BYTES <= journal.length; at += SLOT_BYTES) {
    const state = journal[at] ?? 0;
    const end = journal.indexOf(0, at + 1);
    if (state !== 0) found.push({ key: journal.toString('latin1', at + 1, end), isLarge: state === STATE.large });
  }
  return found;
};
