// Analyse a book: hashes, pages with their sizes, metadata, cover.
import type { Analysis, AnalyzeInput } from '../../core/model/jobs.js';
import { encodePageTable, PAGE_FAULTS } from '../../core/model/page-table.js';
import type { Bag } from '../bag.js';
import { defineJob } from '../step.js';
import { hash } from '../steps/hash.js';
import { list } from '../steps/list.js';
import { measure } from '../steps/measure.js';
import { metadata } from '../steps/metadata.js';
import { open } from '../steps/open.js';
import { thumbnail } from '../steps/thumbnail.js';

/** A book with no page that can be read is a book that cannot be read; one bad page is only a note on that page. */
const bookFault = ({ fault, measured }: Bag): Analysis['fault'] => {
  if (fault !== null || measured.some((page) => page.fault === 0)) return fault;
  const why = PAGE_FAULTS[measured[0]?.fault ?? 0] ?? '';
  return {
    kind: 'CorruptArchive',
    message: `None of the ${measured.length} pages can be read. ${why}`.trim(),
    details: null,
  };
};

const analysisOf = (bag: Bag): Analysis => {
  const { container, file, fingerprint, measured } = bag;
  const fault = bookFault(bag);
  return {
    format: container?.format ?? null,
    sizeBytes: file.size,
    mtimeMs: file.mtimeMs,
    fileHash: fingerprint.fileHash,
    koreaderHash: fingerprint.koreaderHash,
    pageTable: container === null ? null : new Uint8Array(encodePageTable(container.format, measured)),
    pageCount: measured.length,
    metadata: bag.metadata,
    cover: bag.cover,
    fault,
  };
};

export const analyze = defineJob({
  name: 'analyze',
  starts: ['path', 'limits', 'thumbnail'],
  start: (input: AnalyzeInput) => ({ ...input }),
  steps: [open, hash, list, measure, metadata, thumbnail],
  finish: analysisOf,
});
