// Hashes the file: whole for duplicates, moves and change; in slices for the e-reader. First of all steps that read, so that a slow disk
// is read once and in order; what comes after finds the bytes in memory.
import { hashFile, partialMd5 } from '../hashes.js';
import { step } from '../step.js';

export const hash = step({
  name: 'hash',
  needs: ['file'],
  gives: ['fingerprint'],
  run: ({ file }, run) => ({
    fingerprint: { sizeBytes: file.size, fileHash: hashFile(file, run.check), koreaderHash: partialMd5(file) },
  }),
});

export const hashSlices = step({
  name: 'hash-slices',
  needs: ['file'],
  gives: ['koreaderHash'],
  run: ({ file }) => ({ koreaderHash: partialMd5(file) }),
});
