// What a file says about its book, for a preview: nothing is hashed, and no page is looked at.
import type { DescribeInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { ahead } from '../steps/ahead.js';
import { list } from '../steps/list.js';
import { describe as describeStep } from '../steps/metadata.js';
import { openAhead } from '../steps/open.js';

export const describe = defineJob({
  name: 'describe',
  starts: ['path', 'root', 'limits', 'isAlone'],
  start: (input: DescribeInput) => ({ ...input, root: input.root, isAlone: false }),
  steps: [openAhead, ahead, list, describeStep],
  finish: ({ metadata }) => ({ metadata }),
});
