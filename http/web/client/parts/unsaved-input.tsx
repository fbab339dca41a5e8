// Forms on a screen: the user is asked before unsaved input is discarded.
import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { confirmLeaving, pendingLeave, registerUnsaved } from '../state/unsaved.js';
import type { DiscardDialog } from './dialog.js';

/** Loaded with the first input: the first screen does not wait for dialogs. */
const dialog = signal<typeof DiscardDialog | null>(null);

const loadDialog = (): void => {
  import('../screens/browsing.js').then(
    (browsing) => {
      dialog.value = browsing.DiscardDialog;
    },
    () => undefined, // without a network, the next input tries again
  );
};

interface UnsavedInput {
  /** For the form. */
  readonly onInput: () => void;
  /** There is nothing to lose any more. */
  readonly saved: () => void;
}

/** Asks before the screen is left, from the first input until it is saved. */
export const useUnsavedInput = (): UnsavedInput => {
  const isChanged = useSignal(false);
  const saved = (): void => {
    isChanged.value = false;
  };
  // Not read while the form is rendered: rendering it between two events of one input would undo that input.
  useSignalEffect(() => (isChanged.value ? registerUnsaved(saved) : undefined));
  return {
    onInput: () => {
      isChanged.value = true;
      if (dialog.value === null) loadDialog();
    },
    saved,
  };
};

/** The question, once for all screens. */
export const LeavingQuestion = () => {
  const Dialog = dialog.value;
  if (pendingLeave.value === null || Dialog === null) return null;
  return (
    <Dialog
      onDiscard={confirmLeaving}
      onKeep={() => {
        pendingLeave.value = null;
      }}
    />
  );
};
