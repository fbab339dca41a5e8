// A page fitted into a box, in the requested format.
import { renderBytesOf } from '../decode-size.js';
import { renderPage } from '../image.js';
import { step } from '../step.js';

export const render = step({
  name: 'render',
  needs: ['source', 'box', 'format', 'quality', 'limits'],
  gives: ['image'],
  run: async ({ source, box, format, quality, limits }, run) => ({
    image: await run.withRoom(renderBytesOf(source, box, format), () =>
      renderPage(source, box, format, quality, limits.imagePixels),
    ),
  }),
});
