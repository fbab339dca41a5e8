// Previews a scan before a library is saved, and other strategies of one that exists.
import Type from 'typebox';
import { previewScan } from '../../../core/scan/preview.js';
import { previewStrategies } from '../../../core/scan/preview-strategies.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { ScanPreview, StrategyPreview } from '../schemas/library.js';
import { rulesOf, strategyFields } from '../schemas/library-strategies.js';
import { previewView } from '../views/library.js';
import { allowedFormats, formatsOf, optionalText } from './libraries.js';

export const PREVIEW_ROUTES: readonly Route[] = [
  route({
    id: 'libraries.preview',
    method: 'POST',
    path: '/libraries/preview-scan',
    access: 'LibrariesWrite',
    body: Type.Object({
      path: Type.String({ minLength: 1, maxLength: 4096, expected: 'an absolute path on the server' }),
      allowedFormats,
      excludedPatterns: optionalText(10_000),
      seriesStrategy: strategyFields.seriesStrategy,
      series_strategy: strategyFields.series_strategy,
      seriesConfig: strategyFields.seriesConfig,
      series_config: strategyFields.series_config,
      bookStrategy: strategyFields.bookStrategy,
      book_strategy: strategyFields.book_strategy,
      bookConfig: strategyFields.bookConfig,
      book_config: strategyFields.book_config,
      numberStrategy: strategyFields.numberStrategy,
      number_strategy: strategyFields.number_strategy,
    }),
    example: { path: '/library', seriesStrategy: 'series_volume', excludedPatterns: '*.tmp' },
    reply: ok(ScanPreview),
    fails: ['Forbidden', 'Overloaded', 'Timeout', 'Cancelled'],
    about:
      'Previews what a scan of a folder would find with the given strategies, formats and exclusions: the first 500 series, from at most 200,000 files, and the titles and numbers that up to eight of their books would get. Users with restrictions cannot preview folders of libraries.',
    run: async ({ app, viewer, request }, { body }) => {
      const { path, excludedPatterns } = body;
      const ask = {
        path,
        rules: rulesOf(body),
        excluded: excludedPatterns ?? '',
        formats: formatsOf(body.allowedFormats) ?? null,
      };
      return json(200, previewView(await previewScan(app, viewer, ask, request.signal)));
    },
  }),
  route({
    id: 'libraries.strategies.preview',
    method: 'POST',
    path: '/libraries/{id}/preview-strategies',
    access: 'LibrariesWrite',
    params: byId,
    body: Type.Object(strategyFields),
    example: { bookStrategy: 'smart', numberStrategy: 'smart' },
    reply: ok(StrategyPreview),
    fails: ['Cancelled'],
    about:
      'Previews what other strategies for titles and numbers would change in a library, according to the stored metadata: how many books, with some examples. The change itself is made by PATCH, and applied to existing books by a deep scan.',
    run: async ({ app, viewer, request }, { params, body }) =>
      json(200, await previewStrategies(app.db, viewer, params.id, rulesOf(body), request.signal)),
  }),
];
