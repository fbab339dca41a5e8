// The cover of a book whose pages are known.
import { AppError } from '../../core/model/errors.js';
import type { Cover, CoverInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import type { Bag } from '../step-values.js';
import { open } from '../steps/open.js';
import { coverOfPages } from '../steps/thumbnail.js';

const coverOf = ({ cover }: Bag): Cover => {
  if (cover === null) throw new AppError('CorruptPage', 'None of the first pages can be decoded.');
  return cover;
};

export const cover = defineJob({
  name: 'cover',
  starts: ['path', 'root', 'pages', 'thumbnail', 'limits'],
  start: (input: CoverInput) => ({ ...input, root: input.root }),
  steps: [open, coverOfPages],
  finish: coverOf,
});
