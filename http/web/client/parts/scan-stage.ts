// The stage of a running scan, as users are told. Knows no document.

export type Stage = 'looking' | 'reading' | 'covers' | 'ending';

interface Counts {
  readonly filesTotal: number;
  readonly filesProcessed: number;
  readonly coversTotal: number;
  readonly coversProcessed: number;
}

/** The time left is that of the files: once all are read, none is known. */
export const stageOf = ({ filesTotal, filesProcessed, coversTotal, coversProcessed }: Counts): Stage => {
  if (filesTotal === 0) return 'looking';
  if (filesProcessed < filesTotal) return 'reading';
  return coversProcessed < coversTotal ? 'covers' : 'ending';
};
