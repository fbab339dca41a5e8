// Chooses, checks and loads the uWebSockets.js binary for this platform and Node ABI; the only importer of that package.
// The package is a republished build: its bytes are compared with a pinned hash before they run. See THIRD-PARTY.md.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = '@trufflesuite/uws-js-unofficial';
const OFFICIAL = 'uWebSockets.js';

/** SHA-256 of the binaries in the pinned version of the package, by file name. */
export const HASHES: Readonly<Record<string, string>> = {
  'uws_linux_x64_115.node': 'f158fb441f7e2e37b3ab9a56782fe37f4c0d33b5cd32e96ee5c0120ce7db7ced',
  'uws_linux_arm64_115.node': 'fa46518766a985c6a79daef039f40cccd8e98e9a288f2ceaf31a0a18901bbfd5',
  'uws_linux_arm_115.node': 'e1c6907fe5877bfdc3bcaa29fa78ab9dd142c4ca8d65102fbc18c9a47e478d31',
  'uws_darwin_x64_115.node': 'cdb95fb0b602155506b5430791c0dce4341ec1268ff23bdace8f1c77e306e4f7',
  'uws_darwin_arm64_115.node': '2a3aff854929518a3bc066527340ab0fc47c970cda4cdbb86f5d65b03ee83885',
  'uws_win32_x64_115.node': '6dd62494c776ba94a1265969caaa1cc88d02a9a3efb14ef35ef2a1215393cdd9',
};

/** The parts of HttpRequest that are used. It is invalid once the callback that received it returns. */
export interface UwsRequest {
  getMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  getHeader(name: string): string;
  forEach(each: (name: string, value: string) => void): void;
}

/** The parts of HttpResponse that are used. It must not be touched after an abort or after its end. */
export interface UwsResponse {
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body?: Uint8Array | string, close?: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  /** Sends a chunk, never an empty one: that would end the body. False when the engine had to keep some of it. */
  write(chunk: Uint8Array): boolean;
  tryEnd(chunk: Uint8Array, total: number): [ok: boolean, done: boolean];
  getWriteOffset(): number;
  onWritable(write: (offset: number) => boolean): UwsResponse;
  onAborted(gone: () => void): UwsResponse;
  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  cork(write: () => void): UwsResponse;
  close(): UwsResponse;
  getRemoteAddressAsText(): ArrayBuffer;
}

export type ListenSocket = object;

export interface UwsApp {
  any(pattern: string, run: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(host: string, port: number, done: (socket: ListenSocket | false) => void): UwsApp;
  close?(): UwsApp;
}

export interface Uws {
  App(): UwsApp;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
  /** Undocumented switches by name. */
  _cfg?(name: string): void;
}

const isUws = (value: unknown): value is Uws =>
  typeof value === 'object' &&
  value !== null &&
  'App' in value &&
  'us_listen_socket_close' in value &&
  'us_socket_local_port' in value;

const require = createRequire(import.meta.url);

/**
 * Newer builds, which owners may install, read this when they are loaded and refuse larger header blocks. The pinned ones do not know it: of a
 * block that arrives in pieces they hold 4 kB, at once they take more than 100 kB, and beyond that they close the connection.
 */
const HEADER_BYTES = '16384';

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const isInstalled = (name: string): boolean => {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
};

/** The official package, if the owner installed it; null when they did not, which is usual. */
const loadOfficial = (): Uws | string | null => {
  if (!isInstalled(OFFICIAL)) return null;
  try {
    const loaded: unknown = require(OFFICIAL);
    return isUws(loaded) ? loaded : `the installed ${OFFICIAL} does not provide the functions that are needed`;
  } catch (thrown) {
    return `the installed ${OFFICIAL} does not load: ${messageOf(thrown).replace(/\s+/g, ' ').trim()}`;
  }
};

const packageFolder = (): string => dirname(require.resolve(`${PACKAGE}/package.json`));

/** Where the package keeps binaries: the ones loaded here, and its own copies. */
export const binaryFolders = (): readonly string[] =>
  ['binaries', 'dist'].map((folder) => join(packageFolder(), folder)).filter(existsSync);

/** The pinned binaries have the ABI of one Node. */
const PINNED = { node: 20, abi: 115 };

/** The one binary of the package that this platform and Node ABI can load. */
const binaryFor = (abi: number | string): string => `uws_${process.platform}_${process.arch}_${abi}.node`;
export const BINARY_NAME = binaryFor(process.versions.modules);

const noBuild = (): string => {
  const platform = `${process.platform} ${process.arch}`;
  if (HASHES[binaryFor(PINNED.abi)] === undefined) return `Longbox has no build of ${OFFICIAL} for ${platform}`;
  return `Longbox has a build of ${OFFICIAL} for Node ${PINNED.node}, not for Node ${process.versions.node}; the README says how to get one`;
};

const loadPinned = (): Uws | string => {
  const name = BINARY_NAME;
  const pinned = HASHES[name];
  if (pinned === undefined) return noBuild();
  let folder: string;
  try {
    folder = join(packageFolder(), 'binaries');
  } catch {
    return `the package ${PACKAGE} is not installed`;
  }
  const path = join(folder, name);
  if (!existsSync(path)) return `the file ${name} is missing from the package`;
  if (createHash('sha256').update(readFileSync(path)).digest('hex') !== pinned)
    return `the file ${name} is not the tested one; install the packages again`;
  try {
    const loaded: unknown = require(path);
    return isUws(loaded) ? loaded : `the file ${name} does not provide the functions that are needed`;
  } catch (thrown) {
    return `the file ${name} cannot be loaded: ${messageOf(thrown)}`;
  }
};

/** The library, or a message that says why it is not available. */
export const loadUwsBinary = (): Uws | string => {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= HEADER_BYTES;
  const official = loadOfficial();
  const loaded = official === null || typeof official === 'string' ? loadPinned() : official;
  if (typeof loaded === 'string') return official === null ? loaded : `${official}; ${loaded}`;
  // Otherwise every reply names the engine and its version.
  loaded._cfg?.('silent');
  return loaded;
};
