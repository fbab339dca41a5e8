// One page as it lies in its book, unpacked.
import type { OriginalInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { open } from '../steps/open.js';
import { unpack } from '../steps/unpack.js';

export const original = defineJob({
  name: 'original',
  starts: ['path', 'page', 'limits'],
  start: (input: OriginalInput) => ({ ...input }),
  steps: [open, unpack],
  finish: ({ pageBytes }) => ({ bytes: pageBytes }),
});
