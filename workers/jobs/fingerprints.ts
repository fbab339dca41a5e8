// Hashes of a file: only the cheap one, or all of them.
import type { FingerprintInput, HashInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { hash, hashSlices } from '../steps/hash.js';
import { open, openKnownAhead } from '../steps/open.js';

export const partial = defineJob({
  name: 'partial',
  starts: ['path', 'root'],
  start: (input: FingerprintInput) => ({ ...input, root: input.root }),
  steps: [open, hashSlices],
  finish: ({ koreaderHash }) => ({ koreaderHash }),
});

export const fingerprint = defineJob({
  name: 'fingerprint',
  starts: ['path', 'root'],
  start: (input: FingerprintInput) => ({ ...input, root: input.root }),
  steps: [open, hash],
  finish: ({ fingerprint: found }) => found,
});

export const laterHash = defineJob({
  name: 'hash',
  starts: ['path', 'root', 'state'],
  start: (input: HashInput) => ({ ...input, root: input.root }),
  steps: [openKnownAhead, hash],
  finish: ({ fingerprint: found }) => found,
});
