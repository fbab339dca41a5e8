// Short messages about what was done, shown for a moment at the edge of the screen.
import { signal } from '@preact/signals';

export const toast = signal('');

const SHOWN_MS = 6000;
let timer: ReturnType<typeof setTimeout> | undefined;

export const showToast = (text: string): void => {
  clearTimeout(timer);
  toast.value = text;
  timer = setTimeout(() => {
    toast.value = '';
  }, SHOWN_MS);
};
