// A page fitted into a box, in the requested format. The step before has reserved the memory.
import { renderPage } from '../image-codec.js';
import { step } from '../step.js';

export const render = step({
  name: 'render',
  needs: ['source', 'box', 'part', 'format', 'quality', 'limits'],
  gives: ['image'],
  run: async ({ source, box, part, format, quality, limits }, run) => ({
    image: await renderPage(source, box, format, quality, {
      pixels: limits.imagePixels,
      seconds: run.secondsLeft(),
      part,
    }),
  }),
});
