// Analyse a book: hashes, pages with their sizes, metadata; its cover too, where that is cheaper now than later.

import { FORMATS, formatOf } from '../../core/model/formats.js';
import type { Analysis, AnalyzeInput, Note } from '../../core/model/jobs.js';
import { epubKindOf } from '../../core/model/outline.js';
import { faultOfPages, joinedByType, noCover, notesOfImages, notesOfPages } from '../../core/model/page-findings.js';
import { pageHashesOf } from '../../core/model/page-hashes.js';
import { encodePageTable } from '../../core/model/page-table.js';
import { packOutline } from '../../core/model/stored-outline.js';
import { defineJob } from '../step.js';
import type { Bag } from '../step-values.js';
import { ahead } from '../steps/ahead.js';
import { hashFoundBook, hashLikelyBook } from '../steps/hash.js';
import { list } from '../steps/list.js';
import { measure } from '../steps/measure.js';
import { metadata } from '../steps/metadata.js';
import { openAhead } from '../steps/open.js';
import { thumbnail } from '../steps/thumbnail.js';

/** A book without any readable page cannot be read; one bad page is only a note on that page. */
const bookFault = ({ fault, measured }: Bag): Analysis['fault'] => fault ?? faultOfPages(measured);

/** The content takes precedence over the name; that they differ is worth a remark. */
const mismatchOf = ({ container, path }: Bag): Note[] => {
  const named = formatOf(path);
  if (container === null || named === undefined || container.format === named) return [];
  return [
    {
      type: 'format_detection',
      message: `The file is named .${named} but is ${FORMATS[container.format].described}; it is read as such.`,
    },
  ];
};

const noCoverOf = ({ cover, isCoverDue, measured }: Bag): Note[] =>
  cover === null && !isCoverDue && measured.some(({ fault }) => fault === 0) ? [noCover()] : [];

const notesOf = (bag: Bag): readonly Note[] =>
  bag.fault === null
    ? joinedByType([
        ...(bag.container?.notes ?? []),
        ...bag.metadataNotes,
        ...mismatchOf(bag),
        ...notesOfPages(bag.measured),
        ...notesOfImages(bag.measured, bag.cutPages),
        ...noCoverOf(bag),
      ])
    : mismatchOf(bag);

const analysisOf = (bag: Bag): Analysis => {
  const { container, file, fingerprint, measured } = bag;
  const fault = bookFault(bag);
  return {
    format: container?.format ?? null,
    sizeBytes: file.size,
    mtimeMs: file.mtimeMs,
    fileHash: fingerprint.fileHash,
    isHashDue: bag.isHashDue,
    koreaderHash: fingerprint.koreaderHash,
    pageTable: container === null ? null : new Uint8Array(encodePageTable(container.format, measured, bag.front)),
    pageCount: container?.pageCount ?? measured.length,
    outline: container?.outline == null ? null : packOutline(container.outline),
    epubKind:
      container?.format === 'epub' && container.outline !== null
        ? epubKindOf(container.outline, measured.length)
        : null,
    pageHashes: pageHashesOf(container?.checksums ?? []),
    notes: notesOf(bag),
    metadata: bag.metadata,
    cover: bag.cover,
    isCoverDue: bag.isCoverDue && fault === null,
    reading: file.reading(),
    fault,
  };
};

export const analyze = defineJob({
  name: 'analyze',
  starts: ['path', 'root', 'limits', 'thumbnail', 'withCover', 'isAlone', 'mustHash'],
  start: ({ isAlone = false, mustHash = false, ...input }: AnalyzeInput) => ({
    ...input,
    root: input.root,
    isAlone,
    mustHash,
  }),
  steps: [openAhead, ahead, hashLikelyBook, list, hashFoundBook, measure, metadata, thumbnail],
  finish: analysisOf,
});
