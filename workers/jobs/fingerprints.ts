// Hashes of a file: only the cheap one, those of its pages too, or that of the whole file.
import type { FingerprintInput, HashInput, IdentifyInput } from '../../core/model/jobs.js';
import { pageHashesOf } from '../../core/model/page-hashes.js';
import { defineJob } from '../step.js';
import { hash, hashSlices } from '../steps/hash.js';
import { list } from '../steps/list.js';
import { open, openAhead, openKnownAhead } from '../steps/open.js';

export const partial = defineJob({
  name: 'partial',
  starts: ['path', 'root'],
  start: (input: FingerprintInput) => ({ ...input, root: input.root }),
  steps: [open, hashSlices],
  finish: ({ koreaderHash }) => ({ koreaderHash }),
});

export const identify = defineJob({
  name: 'identify',
  starts: ['path', 'root', 'limits'],
  start: (input: IdentifyInput) => ({ ...input, root: input.root }),
  steps: [openAhead, hashSlices, list],
  finish: ({ koreaderHash, container }) => ({ koreaderHash, pageHashes: pageHashesOf(container?.checksums ?? []) }),
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
