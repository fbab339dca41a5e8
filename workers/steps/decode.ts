// The unpacked bytes of one page by its table entry.
import { AppError } from '../../core/model/errors.js';
import { readZipPage } from '../formats/zip.js';
import { step } from '../step.js';

export const decode = step({
  name: 'decode',
  needs: ['file', 'page', 'limits'],
  gives: ['pageBytes'],
  run: ({ file, page, limits }) => {
    if (page.size > limits.entryBytes)
      throw new AppError('LimitExceeded', `The page has more than ${limits.entryBytes} bytes.`);
    return { pageBytes: readZipPage(file, page) };
  },
});
