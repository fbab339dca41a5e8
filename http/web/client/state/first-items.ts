// The first items of a list that is loaded page by page. Knows no document.

/** At most `count` items. `size`: how many each page has, except the last. */
export const firstItems = async <T>(
  load: (page: number) => Promise<{ readonly data: readonly T[] }>,
  count: number,
  size: number,
): Promise<readonly T[]> => {
  const found: T[] = [];
  for (let page = 0; found.length < count; page += 1) {
    const { data } = await load(page);
    found.push(...data);
    if (data.length < size) break;
  }
  return found.slice(0, count);
};
