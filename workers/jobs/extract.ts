// One page of a PDF, as a PDF of its own.
import type { OriginalInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { extractPage } from '../steps/extract.js';
import { openKnown } from '../steps/open.js';

export const extract = defineJob({
  name: 'extract',
  starts: ['path', 'root', 'state', 'page', 'limits'],
  start: (input: OriginalInput) => ({ ...input, root: input.root }),
  steps: [openKnown, extractPage],
  finish: ({ pageBytes }) => ({ bytes: pageBytes }),
});
