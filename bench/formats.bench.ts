// Every format compared with its components: unrar, mupdf, sharp, inflate and pread, called without our code in the same run.
import { setPriority } from 'node:os';
import sharp from 'sharp';
import { scanned } from './engine.js';
import { epubs, mixedAnalysis } from './format-analysis.js';
import { largeRar, mixedBooks, pageBooks } from './format-books.js';
import { closeClients, largeArchive, mixedReading } from './format-memory.js';
import { drawnPages, packedRar, rawPages, realRars, solidRar } from './format-pages.js';
import type { Line, Suite } from './measure.js';

sharp.cache(false);
sharp.concurrency(1);

/**
 * Equal on both sides: our threads run at lower priority than everything else on the machine, so the code they are compared with does too.
 */
const NICE = 5;

const pageLines = async (folder: string): Promise<Line[]> => {
  const root = await pageBooks(folder);
  const engine = await scanned(root);
  try {
    return [
      ...(await packedRar(root, engine)),
      ...(await rawPages(root, engine)),
      await solidRar(root, engine),
      ...(await realRars(root, engine)),
      ...(await drawnPages(root, engine)),
    ];
  } finally {
    await engine.close();
  }
};

export const formats: Suite = async ({ folder }) => {
  setPriority(NICE);
  const mixed = await mixedBooks(folder);
  const lines = [
    ...(await pageLines(folder)),
    ...(await epubs()),
    ...(await mixedAnalysis(mixed)),
    ...(await mixedReading(folder, mixed)),
    ...(await largeArchive(folder, await largeRar(folder))),
  ];
  closeClients();
  return lines;
};
