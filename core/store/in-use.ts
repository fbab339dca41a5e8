// Bytes in use, by key: concurrent readers of the same bytes share them. Holds only weak references.

export class InUse {
  readonly #known = new Map<string, WeakRef<Uint8Array>>();
  readonly #dropped = new FinalizationRegistry<string>((key) => {
    // Other bytes may be stored under this key by now.
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /** The returned bytes must not be modified. */
  get(key: string): Uint8Array | undefined {
    return this.#known.get(key)?.deref();
  }

  note(key: string, bytes: Uint8Array): void {
    this.#known.set(key, new WeakRef(bytes));
    this.#dropped.register(bytes, key);
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
