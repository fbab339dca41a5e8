// Records what this thread decodes before it begins (core/model/decode-journal.ts). If writing fails, only the record is lost.
import { openSync, writeSync } from 'node:fs';
import { threadId, workerData } from 'node:worker_threads';
import { begunRecord, ENDED_RECORD, LARGE_RECORD, slotAt } from '../core/model/decode-journal.js';

const given: unknown = workerData;
const path =
  typeof given === 'object' && given !== null && 'journal' in given && typeof given.journal === 'string'
    ? given.journal
    : null;

let file: number | null = null;
let isBegun = false;
/** The slot has an image. */
let isRecorded = false;

const write = (record: Buffer): void => {
  if (path === null) return;
  try {
    file ??= openSync(path, 'r+');
    writeSync(file, record, 0, record.length, slotAt(threadId));
  } catch {
    // A full or read-only disk: images are decoded all the same.
  }
};

export const noteBegun = (key: string): void => {
  isBegun = true;
  isRecorded = true;
  write(begunRecord(key));
};

/** The image that was begun takes enough memory to be counted. */
export const noteLarge = (): void => {
  if (isBegun) write(LARGE_RECORD);
};

/** The record stays until the next image replaces it, or the thread has nothing more to decode. */
export const noteEnded = (): void => {
  isBegun = false;
};

/** Clears the record of an image that has ended. */
export const clearEnded = (): void => {
  if (isBegun || !isRecorded) return;
  isRecorded = false;
  write(ENDED_RECORD);
};
