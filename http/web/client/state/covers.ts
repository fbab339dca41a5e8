// The covers that a series or book can have: those from its files, and those that were uploaded.
import {
  booksCoversDelete,
  booksCoversList,
  booksCoversReset,
  booksCoversSelect,
  booksCoversSource,
  booksCoversUpload,
  seriesCoversDelete,
  seriesCoversList,
  seriesCoversReset,
  seriesCoversSelect,
  seriesCoversSource,
  seriesCoversUpload,
} from './api.js';
import type { Editable } from './editing.js';
import type { RequestOptions } from './lists.js';
import { serverUrl } from './server-url.js';

export interface UploadedCover {
  readonly id: string;
  readonly isSelected: boolean;
  readonly width: number;
  readonly height: number;
}

interface Covers {
  readonly covers: readonly UploadedCover[];
  /** What is shown: `default` for the cover from the files. */
  readonly source: string;
}

interface CoverRows {
  list(id: string, opts: RequestOptions): Promise<Covers>;
  upload(id: string, file: Blob): Promise<unknown>;
  select(id: string, coverId: string): Promise<unknown>;
  reset(id: string): Promise<unknown>;
  remove(id: string, coverId: string): Promise<unknown>;
  /** `page:N` or `book:<uuid>`. */
  source(id: string, source: string): Promise<unknown>;
}

export const COVERS: Readonly<Record<Editable, CoverRows>> = {
  series: {
    list: (id, opts) => seriesCoversList({ id }, opts),
    upload: (id, file) => seriesCoversUpload({ id, body: { file } }),
    select: (id, coverId) => seriesCoversSelect({ id, coverId }),
    reset: (id) => seriesCoversReset({ id }),
    remove: (id, coverId) => seriesCoversDelete({ id, coverId }),
    source: (id, source) => seriesCoversSource({ id, body: { source } }),
  },
  books: {
    list: (id, opts) => booksCoversList({ id }, opts),
    upload: (id, file) => booksCoversUpload({ id, body: { file } }),
    select: (id, coverId) => booksCoversSelect({ id, coverId }),
    reset: (id) => booksCoversReset({ id }),
    remove: (id, coverId) => booksCoversDelete({ id, coverId }),
    source: (id, source) => booksCoversSource({ id, body: { source } }),
  },
};

export const uploadedImage = (of: Editable, id: string, coverId: string): string =>
  serverUrl(`/api/v1/${of}/${encodeURIComponent(id)}/covers/${encodeURIComponent(coverId)}/image`);
