// One page, fitted into a box and converted.
import type { PageInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { decode } from '../steps/decode.js';
import { openKnown } from '../steps/open.js';
import { render } from '../steps/render.js';

export const page = defineJob({
  name: 'page',
  starts: ['path', 'state', 'page', 'box', 'format', 'quality', 'limits'],
  start: (input: PageInput) => ({ ...input }),
  steps: [openKnown, decode, render],
  finish: ({ image }) => image,
});
