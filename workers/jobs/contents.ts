// What an EPUB contains: its files, its reading order, its navigation.
import type { ContentsInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { listContents } from '../steps/contents.js';
import { openKnown } from '../steps/open.js';

export const contents = defineJob({
  name: 'contents',
  starts: ['path', 'root', 'state', 'kind', 'limits'],
  start: (input: ContentsInput) => ({ ...input, root: input.root }),
  steps: [openKnown, listContents],
  finish: ({ contents: found }) => ({ contents: found }),
});
