// All pages of a solid archive into one file, in one pass.
import type { SpillInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { open } from '../steps/open.js';
import { spill as spillStep } from '../steps/spill.js';

export const spill = defineJob({
  name: 'spill',
  starts: ['path', 'limits', 'spill'],
  start: (input: SpillInput) => ({ path: input.path, limits: input.limits, spill: input }),
  steps: [open, spillStep],
  finish: ({ written }) => ({ written }),
});
