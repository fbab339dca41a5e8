// A small page: one cell of a sheet of many that the server makes.
import type { Reading } from './reading.js';
import { cellOf, sheetStyle } from './rules/sheets.js';

interface Props {
  readonly reading: Reading;
  /** From 0. */
  readonly page: number;
  /** Whether its sheet may be requested yet; an empty box until then. */
  readonly isWanted?: boolean;
  readonly isLazy?: boolean;
}

export const PageThumb = ({ reading, page, isWanted = true, isLazy = false }: Props) => {
  const cell = cellOf(page);
  return (
    <span class="thumb">
      {isWanted && (
        <img
          key={cell.sheet}
          src={reading.sheetUrl(cell.sheet)}
          style={sheetStyle(cell)}
          alt=""
          loading={isLazy ? 'lazy' : 'eager'}
          fetchpriority="low"
          decoding="async"
          draggable={false}
        />
      )}
    </span>
  );
};

/** Images that are still loading would delay the chosen page. */
export const stopLoading = (within: ParentNode | null): void => {
  for (const image of within?.querySelectorAll('img') ?? []) if (!image.complete) image.removeAttribute('src');
};
