// One page of a PDF as a PDF of its own. The copy is made in the memory of the compiled reader.
import { inDocument } from '../../core/model/page-address.js';
import { withModuleRoom } from '../read-in-room.js';
import { step } from '../step.js';

export const extractPage = step({
  name: 'extract',
  needs: ['file', 'page', 'limits'],
  gives: ['pageBytes'],
  run: async ({ file, page, limits }, run) => {
    const { singlePage } = await import('../formats/pdf-single.js');
    const index = inDocument(page).page;
    return { pageBytes: await withModuleRoom(async () => singlePage(file, index, limits.entryBytes), run) };
  },
});
