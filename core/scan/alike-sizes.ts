// Files that may have the same content, by their sizes.

/** A converted or retagged file is about as large as before: 5 % and 64 KiB more or less. */
export const PART = 20;
export const MORE_BYTES = 65_536;

/** Whether one of the sizes, in their order, is about this one. */
export const isAlike = (size: number, sizes: readonly number[]): boolean => {
  let [low, high] = [0, sizes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sizes[middle] ?? 0) < size - size / PART - MORE_BYTES) low = middle + 1;
    else high = middle;
  }
  return (sizes[low] ?? Number.POSITIVE_INFINITY) <= size + size / PART + MORE_BYTES;
};
