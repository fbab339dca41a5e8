// One page, fitted into a box and converted.
import type { PageInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { decode } from '../steps/decode.js';
import { openKnown } from '../steps/open.js';
import { render } from '../steps/resize.js';

export const page = defineJob({
  name: 'page',
  starts: ['path', 'root', 'state', 'page', 'box', 'format', 'quality', 'limits'],
  start: (input: PageInput) => ({ ...input, root: input.root }),
  steps: [openKnown, decode, render],
  finish: ({ image }) => image,
});
