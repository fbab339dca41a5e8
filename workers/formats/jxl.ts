// JPEG XL, decoded by libjxl compiled to WASM: the only importer of @jsquash/jxl. Each image gets an instance of its own, whose memory is
// bounded before it decodes and freed afterwards; of an animated one, the first frame is decoded.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../core/model/errors.js';
import { freeModules, tookRefusal } from '../heaps.js';
import type { Pixels } from '../page-source.js';

interface Decoded {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

interface Decoder {
  decode(bytes: Uint8Array): Decoded | null;
}

type Imports = Readonly<Record<string, unknown>>;

interface Options {
  readonly noInitialRun: true;
  readonly printErr: (line: string) => void;
  readonly instantiateWasm: (imports: Imports, done: (instance: unknown) => void) => unknown;
}

interface Compiled {
  readonly create: (options: Options) => Promise<Decoder>;
  readonly module: unknown;
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => unknown;
  readonly Instance: new (module: unknown, imports: Imports) => { readonly exports: unknown };
};

/** The decoder was made for browsers, and makes its results with this class of theirs. */
class BrowserImage implements Decoded {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/** The parts of the package that encode are never loaded. */
const CODEC = '@jsquash/jxl/codec/dec/jxl_dec';

const load = async (): Promise<Compiled> => {
  Object.assign(globalThis, { ImageData: BrowserImage });
  const { resolve } = createRequire(import.meta.url);
  const { default: create } = (await import(pathToFileURL(resolve(`${CODEC}.js`)).href)) as {
    default: Compiled['create'];
  };
  return { create, module: new WebAssembly.Module(readFileSync(resolve(`${CODEC}.wasm`))) };
};

let compiled: Promise<Compiled> | null = null;

const newDecoder = async (): Promise<Decoder> => {
  compiled ??= load();
  const { create, module } = await compiled;
  return create({
    noInitialRun: true,
    printErr: () => undefined,
    instantiateWasm: (imports, done) => {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  });
};

const decoded = (decoder: Decoder, bytes: Uint8Array): Decoded => {
  let thrown: unknown;
  try {
    const image = decoder.decode(bytes);
    if (image !== null) return image;
  } catch (caught) {
    thrown = caught; // its memory may be in any state, but no other image gets this instance
  }
  throw tookRefusal()
    ? new AppError('LimitExceeded', 'Decoding the image takes more memory than this server allows for one image.')
    : new AppError('CorruptPage', 'The image is damaged.', null, thrown);
};

/** Below this the next collection of garbage is soon enough. */
const COLLECTED_FROM_PIXELS = 500_000;

/** The caller has reserved memory for this many pixels; the decoder gets no more (heaps.ts). */
export const decodeJxl = async (bytes: Uint8Array, pixels: number): Promise<Pixels> => {
  try {
    const { data, width, height } = decoded(await newDecoder(), bytes);
    return { bytes: new Uint8Array(data.buffer, data.byteOffset, data.length), width, height, channels: 4 };
  } finally {
    if (pixels > COLLECTED_FROM_PIXELS) await freeModules();
  }
};
