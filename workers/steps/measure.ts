// Puts pages into reading order and reads the size of each from its header, without decoding it. A bad page gets a fault, the rest goes on.
import { AppError } from '../../core/model/errors.js';
import type { Limits, NamedPage } from '../../core/model/jobs.js';
import { type MediaName, mediaNumber } from '../../core/model/media.js';
import { inPageOrder } from '../../core/model/page-names.js';
import { faultNumber, type PageFault } from '../../core/model/page-table.js';
import type { Container, ListedPage } from '../formats/format.js';
import { sizeByDecoder } from '../image.js';
import { type ImageHead, mayBeTurned, mediaOfBytes, sizeOfBytes } from '../image-head.js';
import { step } from '../step.js';

/** Sizes tried one after the other: most headers are in the first few kilobytes, some after colour profiles and previews. */
const HEADS = [4096, 64 * 1024, 1024 * 1024] as const;
/** A page whose header no parser understands is decoded to find its size, unless it is larger than this. */
const DECODE_MAX_BYTES = 64 * 1024 * 1024;

interface Measured {
  readonly lead: number;
  readonly media: MediaName;
  readonly width: number;
  readonly height: number;
  readonly fault: PageFault;
}

const unmeasured = (fault: PageFault, lead = 0, media: MediaName = 'unknown'): Measured => ({
  lead,
  media,
  width: 0,
  height: 0,
  fault,
});

const sized = (lead: number, head: ImageHead, limits: Limits): Measured => {
  const tooMany = head.width * head.height > limits.imagePixels;
  return { lead, ...head, fault: tooMany ? 'tooManyPixels' : 'none' };
};

/** The size according to the decoder; undefined when it cannot read the page, or the page is too large to try. */
const decodedSize = async (container: Container, page: ListedPage): Promise<ImageHead | undefined> =>
  page.size > DECODE_MAX_BYTES ? undefined : sizeByDecoder(await container.whole(page));

const measureOne = async (container: Container, page: ListedPage, limits: Limits): Promise<Measured> => {
  if (page.fault !== 'none') return unmeasured(page.fault, page.lead);
  if (page.known !== null) return { lead: page.lead, ...page.known, fault: 'none' };
  let lead = 0;
  let media: MediaName | undefined;
  for (const wanted of HEADS) {
    const head = await container.head(page, wanted);
    lead = head.lead;
    media = mediaOfBytes(head.bytes);
    if (media === undefined) return unmeasured('notAnImage', lead);
    if (media === 'svg') return unmeasured('notAnImage', lead, media);
    const found = sizeOfBytes(head.bytes, media);
    if (found === undefined && !head.whole) continue;
    const isPlain = found !== undefined && !mayBeTurned(head.bytes, media);
    const shown = isPlain ? found : ((await decodedSize(container, page)) ?? found);
    return shown === undefined ? unmeasured('damaged', lead, media) : sized(lead, shown, limits);
  }
  const decoded = await decodedSize(container, page);
  return decoded === undefined ? unmeasured('damaged', lead, media) : sized(lead, decoded, limits);
};

/** An error caused by a page's own bytes is its fault; anything else ends the job. */
const measurePage = async (container: Container, page: ListedPage, limits: Limits): Promise<NamedPage> => {
  const found = await measureOne(container, page, limits).catch((thrown: unknown) => {
    if (thrown instanceof AppError && (thrown.kind === 'CorruptPage' || thrown.kind === 'CorruptArchive'))
      return unmeasured('damaged', page.lead);
    throw thrown;
  });
  const { name, offset, packedSize, size, method } = page;
  const { lead, width, height } = found;
  return {
    name,
    offset,
    lead,
    packedSize,
    size,
    method,
    media: mediaNumber(found.media),
    width,
    height,
    fault: faultNumber(found.fault),
  };
};

const inReadingOrder = ({ isOrdered, pages }: Container): readonly ListedPage[] =>
  isOrdered ? pages : inPageOrder(pages);

export const measure = step({
  name: 'measure',
  needs: ['container', 'limits'],
  gives: ['measured'],
  run: async ({ container, limits }, run) => {
    if (container === null) return { measured: [] };
    const measured: NamedPage[] = [];
    for (const page of inReadingOrder(container)) {
      run.check();
      measured.push(await measurePage(container, page, limits));
    }
    return { measured };
  },
});
