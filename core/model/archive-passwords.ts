// Passwords of archives: the text of the setting as a list, and the shared memory from which all threads read them, so that no job
// carries them.

export const PASSWORDS_MAX = 20;
export const PASSWORD_CHARS_MAX = 100;

const HEAD_BYTES = 8;
/** A UTF-16 unit takes at most three bytes. */
const TEXT_BYTES = PASSWORDS_MAX * (PASSWORD_CHARS_MAX * 3 + 1);
/** How often a thread reads again while the list is being written, which takes only microseconds. */
const READS_MAX = 100_000;

/** One per line; a password may contain spaces. */
export const passwordsIn = (text: string): readonly string[] => text.split(/\r?\n/).filter((line) => line !== '');

export const newSharedPasswords = (): SharedArrayBuffer => new SharedArrayBuffer(HEAD_BYTES + TEXT_BYTES);

/** The version is odd while the list is being written. */
export const sharePasswords = (shared: SharedArrayBuffer, text: string): void => {
  const head = new Int32Array(shared, 0, 2);
  const bytes = Buffer.from(passwordsIn(text).join('\n')).subarray(0, TEXT_BYTES);
  Atomics.add(head, 0, 1);
  new Uint8Array(shared, HEAD_BYTES).set(bytes);
  Atomics.store(head, 1, bytes.length);
  Atomics.add(head, 0, 1);
};

export const sharedPasswords = (shared: SharedArrayBuffer): readonly string[] => {
  const head = new Int32Array(shared, 0, 2);
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const version = Atomics.load(head, 0);
    const text = Buffer.from(new Uint8Array(shared, HEAD_BYTES, Atomics.load(head, 1))).toString('utf8');
    if (version % 2 === 0 && Atomics.load(head, 0) === version) return passwordsIn(text);
  }
  return [];
};
