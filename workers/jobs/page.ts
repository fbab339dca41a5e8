// One page, or the part of it within its borders, fitted into a box and converted.
import type { Box, PageInput } from '../../core/model/jobs.js';
import type { Insets } from '../../core/model/page-insets.js';
import { defineJob } from '../step.js';
import { decode } from '../steps/decode.js';
import { openKnown } from '../steps/open.js';
import { render } from '../steps/resize.js';

/** The whole page is as much larger as the part that is wanted is smaller. */
const wholeBox = ({ width, height }: Box, { left, top, right, bottom }: Insets): Box => ({
  width: width === null ? null : Math.round(width / (1 - left - right)),
  height: height === null ? null : Math.round(height / (1 - top - bottom)),
});

export const page = defineJob({
  name: 'page',
  starts: ['path', 'root', 'state', 'page', 'box', 'part', 'format', 'quality', 'limits'],
  start: ({ box, insets, ...input }: PageInput) => ({
    ...input,
    root: input.root,
    box: insets === undefined ? box : wholeBox(box, insets),
    part: insets === undefined ? undefined : { insets, box },
  }),
  steps: [openKnown, decode, render],
  finish: ({ image }) => image,
});
