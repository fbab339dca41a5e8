// The books before and after the current one, without those that the reader wants to skip.
import { useComputed, useSignalEffect } from '@preact/signals';
import { booksAdjacent } from '../state/api.js';
import type { Neighbours, Reading } from './reading.js';
import type { Settings } from './rules/settings.js';

type Skips = Pick<Settings, 'skipRead' | 'skipDuplicates'>;

const askNeighbours = async (id: string, skips: Skips, signal: AbortSignal): Promise<Neighbours> => {
  const { skipRead, skipDuplicates } = skips;
  const asked = booksAdjacent({ id }, { signal });
  if (!skipRead && !skipDuplicates) return { ...(await asked), beside: await asked };
  const [beside, found] = await Promise.all([asked, booksAdjacent({ id, skipRead, skipDuplicates }, { signal })]);
  return { ...found, beside };
};

export const useNeighbours = (reading: Reading): void => {
  const skipRead = useComputed(() => reading.stored.all.value.skipRead);
  const skipDuplicates = useComputed(() => reading.stored.all.value.skipDuplicates);
  useSignalEffect(() => {
    const control = new AbortController();
    const skips = { skipRead: skipRead.value, skipDuplicates: skipDuplicates.value };
    askNeighbours(reading.opened.book.id, skips, control.signal).then(
      (found) => {
        reading.neighbours.value = found;
      },
      () => {
        if (!control.signal.aborted) reading.neighbours.value = { beside: {} };
      },
    );
    return () => control.abort();
  });
};
