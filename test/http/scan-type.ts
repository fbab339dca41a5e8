// A scan as shipped clients are compiled for it: rows answer it, and streams send it.
export interface ScanDto {
  booksFound: number;
  completedAt?: string | null;
  errors: string[];
  filesProcessed: number;
  filesTotal: number;
  libraryId: string;
  seriesFound: number;
  startedAt: string;
  status: string;
}
