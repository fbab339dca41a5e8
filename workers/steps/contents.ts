// Lists what an EPUB contains.
import { packContents } from '../../core/model/epub-contents.js';
import { epubContentsOf } from '../formats/epub-contents.js';
import { step } from '../step.js';

export const listContents = step({
  name: 'contents',
  needs: ['file', 'imageCount', 'limits'],
  gives: ['contents'],
  run: ({ file, imageCount, limits }, run) => ({
    contents: packContents(epubContentsOf(file, imageCount, { limits, check: run.check })),
  }),
});
