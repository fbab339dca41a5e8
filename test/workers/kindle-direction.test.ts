// The reading direction of EPUB comics made for Kindle, which state it in a meta and not in the spine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOpf } from '../../workers/metadata/opf.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { bookOf, COMIC } from './made-epub.js';

const modeMeta = (mode: string): string => `<meta name="primary-writing-mode" content="${mode}"/>`;

const packageWith = (metadata: string, spine: string): Uint8Array =>
  Buffer.from(`<package><metadata>${metadata}<title>T</title></metadata><spine${spine}/></package>`);

const folder = mkdtempSync(join(tmpdir(), 'longbox-kindle-'));

block(
  'primary-writing-mode',
  (check) => {
    for (const [metadata, spine, direction] of [
      [modeMeta('horizontal-rl'), '', 'rtl'],
      [modeMeta('vertical-rl'), '', 'rtl'],
      [modeMeta(' Horizontal-RL '), ' page-progression-direction="default"', 'rtl'],
      [modeMeta('horizontal-lr'), '', 'ltr'],
      [modeMeta('horizontal-rl'), ' page-progression-direction="ltr"', 'ltr'],
      [`<x-metadata>${modeMeta('horizontal-rl')}</x-metadata>`, '', 'rtl'],
      [`<meta name='primary-writing-mode' content='horizontal-rl'></meta>`, '', 'rtl'],
      [modeMeta('horizontal'), '', null],
      [modeMeta('rl'), '', null],
    ] as const)
      check(`${metadata} and spine${spine}: ${direction}`, () => {
        assert.is(readOpf(packageWith(metadata, spine))?.series.readingDirection ?? null, direction);
      });
    check('in a book, whatever its language implies', async () => {
      for (const [meta, direction] of [
        [`<language>en</language>${modeMeta('horizontal-rl')}`, 'rtl'],
        ['<language>en</language>', 'ltr'],
        [`<language>ja</language>${modeMeta('vertical-rl')}`, 'rtl'],
        ['<language>ja</language>', null],
      ] as const) {
        const { metadata } = await analysed(bookOf(folder, COMIC, { meta }));
        assert.is(metadata?.series.readingDirection ?? null, direction);
      }
    });
  },
  { after: () => rmSync(folder, { recursive: true }) },
);
