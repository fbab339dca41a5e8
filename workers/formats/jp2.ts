// JPEG 2000 at a reduced resolution, by OpenJPEG compiled to WASM: the only importer of @cornerstonejs/codec-openjpeg. Each image gets an
// instance of its own, whose memory is bounded (heaps.ts) and freed afterwards.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AppError } from '../../core/model/errors.js';
import { freeModules, tookRefusal } from '../heaps.js';
import type { Reduced } from '../jp2-reduced.js';
import type { Pixels } from '../page-source.js';

interface Decoder {
  getEncodedBuffer(length: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  readHeader(): void;
  decodeSubResolution(level: number, layer: number): void;
}

interface Options {
  readonly wasmBinary: Uint8Array;
  readonly print: () => void;
  readonly printErr: () => void;
}

type Create = (options: Options) => Promise<{ readonly J2KDecoder: new () => Decoder }>;

const PACKAGE = '@cornerstonejs/codec-openjpeg';
const ALL_LAYERS = 0;

const newDecoder = async (): Promise<Decoder> => {
  const require = createRequire(import.meta.url);
  const create = require(`${PACKAGE}/decodewasmjs`) as Create;
  const wasmBinary = readFileSync(require.resolve(`${PACKAGE}/decodewasm`));
  const { J2KDecoder } = await create({ wasmBinary, print: () => undefined, printErr: () => undefined });
  return new J2KDecoder();
};

/** Red, green and blue of eight bits: of deeper samples, which come as two bytes with the lower one first, the upper bits. */
const rgbOf = (samples: Uint8Array, { width, height, channels, depth }: Reduced): Uint8Array => {
  if (depth === 8 && channels === 3) return new Uint8Array(samples);
  const bytes = new Uint8Array(width * height * 3);
  for (let at = 0; at < bytes.length; at += 1) {
    const from = channels === 3 ? at : Math.floor(at / 3);
    bytes[at] =
      depth === 8
        ? (samples[from] ?? 0)
        : (((samples[from * 2 + 1] ?? 0) << 8) | (samples[from * 2] ?? 0)) >> (depth - 8);
  }
  return bytes;
};

const pixelsOf = (decoder: Decoder, file: Uint8Array, to: Reduced): Pixels => {
  const { level, width, height, channels, depth } = to;
  decoder.getEncodedBuffer(file.length).set(file);
  decoder.readHeader();
  decoder.decodeSubResolution(level, ALL_LAYERS);
  const samples = decoder.getDecodedBuffer();
  if (samples.length !== width * height * channels * (depth > 8 ? 2 : 1)) throw new Error('not all of it is there');
  return { bytes: rgbOf(samples, to), width, height, channels: 3 };
};

/** The caller has reserved memory for it. */
export const decodeReduced = async (file: Uint8Array, to: Reduced): Promise<Pixels> => {
  try {
    return pixelsOf(await newDecoder(), file, to);
  } catch (thrown) {
    throw tookRefusal()
      ? new AppError('LimitExceeded', 'Decoding the image takes more memory than this server allows for one image.')
      : new AppError('CorruptPage', 'The image is damaged.', null, thrown);
  } finally {
    await freeModules();
  }
};
