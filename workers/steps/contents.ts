// Lists what an EPUB contains.
import { packContents } from '../../core/model/epub-contents.js';
import { epubContentsOf } from '../formats/epub-contents.js';
import { step } from '../step.js';

export const listContents = step({
  name: 'contents',
  needs: ['file', 'kind', 'limits'],
  gives: ['contents'],
  run: ({ file, kind, limits }, run) => ({
    contents: packContents(epubContentsOf(file, kind, { limits, check: run.check })),
  }),
});
