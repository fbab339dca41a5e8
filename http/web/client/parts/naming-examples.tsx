// What a few books of a folder would be called in a new library.
import { b } from '../messages/browse-messages.js';
import type { ScanPreview } from '../state/api.js';
import type { STRATEGIES } from '../state/naming.js';
import { shownText } from './naming-preview.js';

/** With file names alone, the number is the place in the folder, which a few files do not tell. */
export const NamingExamples = ({
  books,
  naming,
}: {
  readonly books: ScanPreview['examples'];
  readonly naming: keyof typeof STRATEGIES;
}) =>
  books.length === 0 ? null : (
    <div class="naming-preview">
      <p>{b.naming.examples}</p>
      <ul>
        {books.map(({ fileName, seriesName, title, number }) => (
          <li key={`${seriesName} ${fileName}`}>
            <span class="dim">{fileName}</span>
            {naming === 'metadata' ? shownText({ title, number }) : fileName.replace(/\.[^.]+$/, '')}
          </li>
        ))}
      </ul>
      {naming === 'names' && <p class="hint">{b.naming.byOrder}</p>}
    </div>
  );
