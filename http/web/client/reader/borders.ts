// The sizes of pages with their borders cropped, requested once somebody wants that.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { cropsOf, type OpenBook } from './open-book.js';
import { type Crop, croppedSize, isCropWanted } from './rules/crop.js';
import type { PageLayout } from './rules/page-layout.js';
import type { Size } from './rules/pages.js';
import type { StoredSettings } from './stored-settings.js';

export interface Borders {
  /** Of pages as they are laid out. */
  readonly sizes: ReadonlySignal<readonly Size[]>;
  /** Null for a page that is shown whole. */
  cropOf(page: number): Crop | null;
  /** Whether they are cropped, and known. */
  readonly isReady: ReadonlySignal<boolean>;
  /** Requests the borders if they are wanted and not known yet; calling the result cancels that. */
  ask(): () => void;
}

const NONE: readonly (Crop | null)[] = [];

export const bordersOf = (
  { book, sizes, crops: first }: OpenBook,
  stored: StoredSettings,
  layout: ReadonlySignal<PageLayout>,
): Borders => {
  const known = signal(first);
  const isWanted = computed(() => isCropWanted(stored.all.value, layout.value));
  const crops = computed(() => (isWanted.value ? known.value : null) ?? NONE);
  return {
    sizes: computed(() =>
      crops.value === NONE ? sizes : sizes.map((size, page) => croppedSize(size, crops.value[page] ?? null)),
    ),
    cropOf: (page) => crops.value[page] ?? null,
    isReady: computed(() => isWanted.value && known.value !== null && known.value !== NONE),
    ask: () => {
      const control = new AbortController();
      if (isWanted.value && known.value === null)
        cropsOf(book.id, control.signal).then(
          (found) => {
            known.value = found ?? NONE;
          },
          () => undefined, // cancelled: no longer needed
        );
      return () => control.abort();
    },
  };
};
