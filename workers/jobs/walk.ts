// Folders and the book files in them.
import type { WalkInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { walk as walkStep } from '../steps/walk.js';

export const walk = defineJob({
  name: 'walk',
  starts: ['walk'],
  start: (input: WalkInput) => ({ walk: input }),
  steps: [walkStep],
  finish: ({ walked }) => walked,
});
