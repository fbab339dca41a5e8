// The table of jobs: what each starts with, its steps, and what it gives back.
import { AppError } from '../core/model/errors.js';
import type { Analysis, JobName, Jobs } from '../core/model/jobs.js';
import { encodePageTable, PAGE_FAULTS } from '../core/model/page-table.js';
import type { Bag } from './bag.js';
import { defineJob, type JobDefinition } from './step.js';
import { decode } from './steps/decode.js';
import { hash, hashSlices } from './steps/hash.js';
import { list } from './steps/list.js';
import { measure } from './steps/measure.js';
import { metadata } from './steps/metadata.js';
import { open } from './steps/open.js';
import { render } from './steps/render.js';
import { coverOfPages, thumbnail } from './steps/thumbnail.js';
import { walk } from './steps/walk.js';

type JobTable = { readonly [K in JobName]: JobDefinition<Jobs[K]['input'], Jobs[K]['output']> };

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
  const format = container?.format ?? 'cbz';
  return {
    format,
    sizeBytes: file.size,
    mtimeMs: file.mtimeMs,
    fileHash: fingerprint.fileHash,
    koreaderHash: fingerprint.koreaderHash,
    pageTable: container === null ? null : new Uint8Array(encodePageTable(format, measured)),
    pageCount: measured.length,
    metadata: bag.metadata,
    cover: bag.cover,
    fault,
  };
};

const must = <T>(value: T | null, message: string): T => {
  if (value === null) throw new AppError('CorruptPage', message);
  return value;
};

export const JOBS: JobTable = {
  analyze: defineJob({
    name: 'analyze',
    starts: ['path', 'limits', 'thumbnail'],
    start: (input) => ({ ...input }),
    steps: [open, hash, list, measure, metadata, thumbnail],
    finish: analysisOf,
  }),
  page: defineJob({
    name: 'page',
    starts: ['path', 'page', 'box', 'format', 'quality', 'limits'],
    start: (input) => ({ ...input }),
    steps: [open, decode, render],
    finish: ({ image }) => image,
  }),
  cover: defineJob({
    name: 'cover',
    starts: ['path', 'pages', 'thumbnail', 'limits'],
    start: (input) => ({ ...input }),
    steps: [open, coverOfPages],
    finish: ({ cover }) => must(cover, 'None of the first pages can be decoded.'),
  }),
  walk: defineJob({
    name: 'walk',
    starts: ['walk'],
    start: (input) => ({ walk: input }),
    steps: [walk],
    finish: ({ walked }) => walked,
  }),
  partial: defineJob({
    name: 'partial',
    starts: ['path'],
    start: (input) => ({ ...input }),
    steps: [open, hashSlices],
    finish: ({ koreaderHash }) => ({ koreaderHash }),
  }),
  fingerprint: defineJob({
    name: 'fingerprint',
    starts: ['path'],
    start: (input) => ({ ...input }),
    steps: [open, hash],
    finish: ({ fingerprint }) => fingerprint,
  }),
};
