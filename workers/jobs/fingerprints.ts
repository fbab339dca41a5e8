// Hashes of a file: the cheap one, and all of them.
import type { FingerprintInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { hash, hashSlices } from '../steps/hash.js';
import { open } from '../steps/open.js';

export const partial = defineJob({
  name: 'partial',
  starts: ['path'],
  start: (input: FingerprintInput) => ({ ...input }),
  steps: [open, hashSlices],
  finish: ({ koreaderHash }) => ({ koreaderHash }),
});

export const fingerprint = defineJob({
  name: 'fingerprint',
  starts: ['path'],
  start: (input: FingerprintInput) => ({ ...input }),
  steps: [open, hash],
  finish: ({ fingerprint: found }) => found,
});
