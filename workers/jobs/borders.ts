// Where the borders of some pages of a book end.
import type { BordersInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { borders } from '../steps/borders.js';
import { openKnown } from '../steps/open.js';

export const pageBorders = defineJob({
  name: 'borders',
  starts: ['path', 'root', 'state', 'pages', 'limits'],
  start: (input: BordersInput) => ({ ...input, root: input.root }),
  steps: [openKnown, borders],
  finish: (bag) => ({ borders: bag.borders }),
});
