// Previews a scan before a library is saved.
import Type from 'typebox';
import { previewScan } from '../../../core/scan/preview.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { ScanPreview } from '../schemas/library.js';
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
    }),
    example: { path: '/library', seriesStrategy: 'series_volume', excludedPatterns: '*.tmp' },
    reply: ok(ScanPreview),
    fails: ['Forbidden', 'Overloaded', 'Timeout', 'Cancelled'],
    about:
      'Previews what a scan of a folder would find with the given series strategy, formats and exclusions: the first 500 series, from at most 200,000 files. Users with restrictions cannot preview folders of libraries.',
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
];
