// Some pages of a book as one sheet of small pictures.
import type { SheetInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { openKnown } from '../steps/open.js';
import { sheet } from '../steps/sheet.js';

export const pageSheet = defineJob({
  name: 'sheet',
  starts: ['path', 'root', 'state', 'pages', 'quality', 'limits'],
  start: (input: SheetInput) => ({ ...input, root: input.root }),
  steps: [openKnown, sheet],
  finish: ({ pageBytes }) => ({ bytes: pageBytes }),
});
