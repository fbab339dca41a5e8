// Runs a bundled file with the bytecode that the build kept (V8's code cache): compiling four megabytes is a third of the work of a start.
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
const hashOf = (text: string): Buffer =>
  createHash('sha256').update(`${process.version} ${process.arch}\n`).update(text).digest();

const keptCode = (file: string, text: string): Buffer | undefined => {
  const kept = fs.readFileSync(codeOf(file));
  return hashOf(text).equals(kept.subarray(0, HASH_BYTES)) ? kept.subarray(HASH_BYTES) : undefined;
};

const scriptOf = (file: string, text: string, code: Buffer | undefined): import('node:vm').Script =>
  // The wrapper shares the first line, as with `require`, so that lines keep their numbers.
  new vm.Script(`(function (exports, require, module, __filename, __dirname) { ${text}\n})`, {
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
  const text = fs.readFileSync(file, 'utf8');
  return exportsOf(scriptOf(file, text, keptCode(file, text)), file);
};

/** Runs the file first, so that the functions compiled by running it are kept too. */
const keep = (file: string): void => {
  const text = fs.readFileSync(file, 'utf8');
  const script = scriptOf(file, text, undefined);
  exportsOf(script, file);
  fs.writeFileSync(`${codeOf(file)}.partial`, Buffer.concat([hashOf(text), script.createCachedData()]));
  fs.renameSync(`${codeOf(file)}.partial`, codeOf(file));
};

module.exports = { run, keep };
