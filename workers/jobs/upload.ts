// An uploaded image, as we store it: a JPEG of limited size, without whatever else its file contained.
import type { UploadInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { renderUpload } from '../steps/upload.js';

export const upload = defineJob({
  name: 'upload',
  starts: ['upload', 'limits'],
  start: (input: UploadInput) => ({ upload: input, limits: input.limits }),
  steps: [renderUpload],
  finish: ({ image }) => image,
});
