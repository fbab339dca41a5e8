// Forms on a screen: the user is asked before unsaved input is discarded.
import { useSignal, useSignalEffect } from '@preact/signals';
import { confirmLeaving, pendingLeave, registerUnsaved } from '../state/unsaved.js';
import { DiscardDialog } from './dialog.js';

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
    },
    saved,
  };
};

/** The question, once for all screens. */
export const LeavingQuestion = () =>
  pendingLeave.value === null ? null : (
    <DiscardDialog
      onDiscard={confirmLeaving}
      onKeep={() => {
        pendingLeave.value = null;
      }}
    />
  );
