// The table of jobs. Each is loaded on first use: a thread that only walks folders does not pay for an image library.
import type { JobName, Jobs } from '../core/model/jobs.js';
import type { JobDefinition } from './step.js';

type Loaders = { readonly [K in JobName]: () => Promise<JobDefinition<Jobs[K]['input'], Jobs[K]['output']>> };

export const JOBS: Loaders = {
  analyze: async () => (await import('./jobs/analyze.js')).analyze,
  describe: async () => (await import('./jobs/describe.js')).describe,
  page: async () => (await import('./jobs/page.js')).page,
  cover: async () => (await import('./jobs/cover.js')).cover,
  borders: async () => (await import('./jobs/borders.js')).pageBorders,
  sheet: async () => (await import('./jobs/sheet.js')).pageSheet,
  look: async () => (await import('./jobs/look.js')).looks,
  original: async () => (await import('./jobs/original.js')).original,
  extract: async () => (await import('./jobs/extract.js')).extract,
  contents: async () => (await import('./jobs/contents.js')).contents,
  spill: async () => (await import('./jobs/spill.js')).spill,
  upload: async () => (await import('./jobs/upload.js')).upload,
  card: async () => (await import('./jobs/card.js')).card,
  walk: async () => (await import('./jobs/walk.js')).walk,
  folders: async () => (await import('./jobs/folders.js')).folders,
  identify: async () => (await import('./jobs/fingerprints.js')).identify,
  partial: async () => (await import('./jobs/fingerprints.js')).partial,
  hash: async () => (await import('./jobs/fingerprints.js')).laterHash,
  fingerprint: async () => (await import('./jobs/fingerprints.js')).fingerprint,
};
