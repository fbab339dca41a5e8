// What was done, said for a moment at the edge of the screen.
import { signal } from '@preact/signals';

export const notice = signal('');

const SHOWN_MS = 6000;
let timer: ReturnType<typeof setTimeout> | undefined;

export const tell = (text: string): void => {
  clearTimeout(timer);
  notice.value = text;
  timer = setTimeout(() => {
    notice.value = '';
  }, SHOWN_MS);
};
