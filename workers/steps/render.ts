// A page fitted into a box, in the wanted format.
import { renderPage } from '../image.js';
import { step } from '../step.js';

export const render = step({
  name: 'render',
  needs: ['pageBytes', 'box', 'format', 'quality', 'limits'],
  gives: ['image'],
  run: async ({ pageBytes, box, format, quality, limits }) => ({
    image: await renderPage(pageBytes, box, format, quality, limits.imagePixels),
  }),
});
