// A small file that makes compiled code allocate by what is in it.
export interface GreedyFile {
  /** Of the book, with its extension. */
  readonly name: string;
  readonly make: () => Promise<Buffer> | Buffer;
  /** Only in a large run. */
  readonly isSlow?: true;
  /** Its page is shown in spite of all. */
  readonly isShown?: true;
}
