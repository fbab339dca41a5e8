// Short messages about what was done, shown for a moment at the edge of the screen; some can be undone there.
import { signal } from '@preact/signals';

export interface Toast {
  readonly text: string;
  /** Reverts what was done, and returns the message to show then. */
  readonly undo?: () => Promise<string>;
}

export const toast = signal<Toast | null>(null);

const SHOWN_MS = 6000;
/** Long enough to read the text, find the button and reach it. */
const UNDO_MS = 12_000;
let timer: ReturnType<typeof setTimeout> | undefined;

export const hideToast = (): void => {
  clearTimeout(timer);
  toast.value = null;
};

/** It stays while somebody points at it or has focus in it. */
export const holdToast = (): void => clearTimeout(timer);

export const releaseToast = (): void => {
  clearTimeout(timer);
  timer = setTimeout(hideToast, toast.value?.undo === undefined ? SHOWN_MS : UNDO_MS);
};

export const showToast = (text: string, undo?: Toast['undo']): void => {
  toast.value = undo === undefined ? { text } : { text, undo };
  releaseToast();
};
