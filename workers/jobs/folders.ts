// The folders of a library and their times, without the files in them.
import type { FoldersInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { folders as foldersStep } from '../steps/folders.js';

export const folders = defineJob({
  name: 'folders',
  starts: ['folders'],
  start: (input: FoldersInput) => ({ folders: input }),
  steps: [foldersStep],
  finish: ({ foldersFound }) => foldersFound,
});
