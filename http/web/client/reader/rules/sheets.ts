// Where a page is on the sheets of thumbnails that the server makes, as defined in the API description.

const COLUMNS = 6;
const ROWS = 4;

export interface Cell {
  /** From 1. */
  readonly sheet: number;
  readonly column: number;
  readonly row: number;
}

/** Of a page, from 0. */
export const cellOf = (page: number): Cell => {
  const at = page % (COLUMNS * ROWS);
  return { sheet: Math.floor(page / (COLUMNS * ROWS)) + 1, column: at % COLUMNS, row: Math.floor(at / COLUMNS) };
};

const percent = (share: number): string => `${share * 100}%`;

/** The whole sheet, where a box as large as a cell shows one page of it. */
export const sheetStyle = ({ column, row }: Cell): Readonly<Record<string, string>> => ({
  width: percent(COLUMNS),
  height: percent(ROWS),
  left: percent(-column),
  top: percent(-row),
});
