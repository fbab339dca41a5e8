// How some pages of a book look, to find other editions of it.
import type { LookInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { look } from '../steps/look.js';
import { openKnown } from '../steps/open.js';

export const looks = defineJob({
  name: 'look',
  starts: ['path', 'root', 'state', 'pages', 'limits'],
  start: (input: LookInput) => ({ ...input, root: input.root }),
  steps: [openKnown, look],
  finish: ({ look: found }) => ({ look: found }),
});
