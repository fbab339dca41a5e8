// Runs a bundled file with the bytecode that the build kept (V8's code cache): compiling four megabytes is a third of the work of a start.
const { isAscii }: typeof import('node:buffer') = require('node:buffer');
const { createHash }: typeof import('node:crypto') = require('node:crypto');
const fs: typeof import('node:fs') = require('node:fs');
const { createRequire }: typeof import('node:module') = require('node:module');
const path: typeof import('node:path') = require('node:path');
const vm: typeof import('node:vm') = require('node:vm');

/** Beside the file: the hash of what it was made from, then the bytecode. */
const codeOf = (file: string): string => `${file}.code`;
const HASH_BYTES = 32;

/**
 * V8 itself compares only the length of the text, and a version of its own that several releases of Node share: 20.19.0 crashes in bytecode
 * of 20.20.2.
 */
const hashOf = (bytes: Buffer): Buffer =>
  createHash('sha256').update(`${process.version} ${process.arch}\n`).update(bytes).digest();

const keptCode = (file: string, bytes: Buffer): Buffer | undefined => {
  const kept = fs.readFileSync(codeOf(file));
  return hashOf(bytes).equals(kept.subarray(0, HASH_BYTES)) ? kept.subarray(HASH_BYTES) : undefined;
};

/** The builder writes ASCII (build/program.ts), which takes half the memory of other texts, and no decoding. */
const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');

const scriptOf = (file: string, bytes: Buffer, code: Buffer | undefined): import('node:vm').Script =>
  // The wrapper shares the first line, as with `require`, so that lines keep their numbers.
  new vm.Script(`(function (exports, require, module, __filename, __dirname) { ${textOf(bytes)}\n})`, {
    filename: file,
    ...(code === undefined ? {} : { cachedData: code }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });

const exportsOf = (script: import('node:vm').Script, file: string): unknown => {
  const made = { exports: {} };
  script.runInThisContext().call(made.exports, made.exports, createRequire(file), made, file, path.dirname(file));
  return made.exports;
};

/** Without bytecode that this very Node made of this text, the text is compiled. */
const run = (file: string): unknown => {
  // Node applies source maps to what `require` loads, but not to a script that is run here.
  if (process.sourceMapsEnabled || !fs.existsSync(codeOf(file))) return require(file);
  const bytes = fs.readFileSync(file);
  return exportsOf(scriptOf(file, bytes, keptCode(file, bytes)), file);
};

/** Runs the file first, so that the functions compiled by running it are kept too. */
const keep = (file: string): void => {
  const bytes = fs.readFileSync(file);
  const script = scriptOf(file, bytes, undefined);
  exportsOf(script, file);
  fs.writeFileSync(`${codeOf(file)}.partial`, Buffer.concat([hashOf(bytes), script.createCachedData()]));
  fs.renameSync(`${codeOf(file)}.partial`, codeOf(file));
};

module.exports = { run, keep };
