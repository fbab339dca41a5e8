// One page, fitted into a box and converted.
import type { PageInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { decode } from '../steps/decode.js';
import { open } from '../steps/open.js';
import { render } from '../steps/render.js';

export const page = defineJob({
  name: 'page',
  starts: ['path', 'page', 'box', 'format', 'quality', 'limits'],
  start: (input: PageInput) => ({ ...input }),
  steps: [open, decode, render],
  finish: ({ image }) => image,
});
