// All pages of a solid archive into one file, in one pass.
import type { SpillInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { openKnown } from '../steps/open.js';
import { spill as spillStep } from '../steps/spill.js';

export const spill = defineJob({
  name: 'spill',
  starts: ['path', 'root', 'state', 'limits', 'spill'],
  start: (input: SpillInput) => ({
    path: input.path,
    root: input.root,
    state: input.state,
    limits: input.limits,
    spill: input,
  }),
  steps: [openKnown, spillStep],
  finish: ({ written }) => ({ written }),
});
