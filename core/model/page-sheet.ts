// The sheets on which the pages of a book are shown small: so many in a row, each in a cell of the same size.

const CELL = { width: 160, height: 240 } as const;
const COLUMNS = 6;
const ROWS = 4;

export const SHEET = {
  columns: COLUMNS,
  pages: COLUMNS * ROWS,
  cell: CELL,
  /** Of the whole, also where the last rows are empty. */
  width: COLUMNS * CELL.width,
  height: ROWS * CELL.height,
} as const;

/** Where on its sheet the page with this index among those of the sheet has its cell. */
export const cellOf = (index: number): { readonly left: number; readonly top: number } => ({
  left: (index % SHEET.columns) * CELL.width,
  top: Math.floor(index / SHEET.columns) * CELL.height,
});

export const sheetsOf = (pageCount: number): number => Math.ceil(pageCount / SHEET.pages);
