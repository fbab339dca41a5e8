// One page as stored in its book, unpacked.
import type { OriginalInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { openKnown } from '../steps/open.js';
import { unpack } from '../steps/unpack.js';

export const original = defineJob({
  name: 'original',
  starts: ['path', 'root', 'state', 'page', 'limits'],
  start: (input: OriginalInput) => ({ ...input, root: input.root }),
  steps: [openKnown, unpack],
  finish: ({ pageBytes }) => ({ bytes: pageBytes }),
});
