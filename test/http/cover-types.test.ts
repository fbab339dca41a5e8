// The types of covers that shipped clients are compiled for: what our schemas describe is one of them, or this file does not compile.
import type { Static, TSchema } from 'typebox';
import { COVER_ROUTES } from '../../http/api/rows/covers.js';
import { COVERS } from '../../http/api/schemas/covers.js';
import { assert, block } from '../kit.js';

interface CoverDto {
  createdAt: string;
  height?: number | null;
  id: string;
  isSelected: boolean;
  path: string;
  source: string;
  updatedAt: string;
  width?: number | null;
}

type BookCoverDto = CoverDto & { bookId: string };
type SeriesCoverDto = CoverDto & { seriesId: string };

/** Whether what a schema describes is what clients expect. */
type Fit<Expected, S extends TSchema> = Static<S> extends Expected ? true : never;

/** Compiles only if they fit. */
const FITS: readonly [
  Fit<BookCoverDto, typeof COVERS.book.cover>,
  Fit<{ covers: BookCoverDto[] }, typeof COVERS.book.covers>,
  Fit<SeriesCoverDto, typeof COVERS.series.cover>,
  Fit<{ covers: SeriesCoverDto[] }, typeof COVERS.series.covers>,
] = [true, true, true, true];

const OWNERS = { '/books': COVERS.book, '/series': COVERS.series } as const;

block('types of covers', (check) => {
  check('what is described is what clients expect', () => assert.is(FITS.length, 4));
  for (const [path, { cover, covers }] of Object.entries(OWNERS))
    check(`${path}: rows answer with the schemas that were compared`, () => {
      const replies = COVER_ROUTES.filter((route) => route.path.startsWith(path)).map((route) => [
        `${route.method} ${route.path.slice(path.length)}`,
        route.reply[200],
      ]);
      const found = Object.fromEntries(replies);
      assert.is(found['GET /{id}/covers'], covers);
      for (const row of ['POST /{id}/cover', 'PUT /{id}/covers/{cover_id}/select']) assert.is(found[row], cover);
    });
});
