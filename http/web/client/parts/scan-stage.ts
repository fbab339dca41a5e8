// What a scan that goes on is doing, as far as people are told. Knows no document.

export type Stage = 'looking' | 'reading' | 'covers' | 'ending';

interface Counts {
  readonly filesTotal: number;
  readonly filesProcessed: number;
  readonly coversTotal: number;
  readonly coversProcessed: number;
}

/** The time left is that of the files: once all are read, there is none to tell. */
export const stageOf = ({ filesTotal, filesProcessed, coversTotal, coversProcessed }: Counts): Stage => {
  if (filesTotal === 0) return 'looking';
  if (filesProcessed < filesTotal) return 'reading';
  return coversProcessed < coversTotal ? 'covers' : 'ending';
};
