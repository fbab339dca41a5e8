// The question that is asked before unsaved input is discarded, once for all screens.
import { useSignal, useSignalEffect } from '@preact/signals';
import { confirmLeaving, isUnsaved, pendingLeave } from '../state/unsaved.js';
import type { DiscardDialog } from './dialog.js';

export const LeavingQuestion = () => {
  const dialog = useSignal<typeof DiscardDialog | null>(null);
  // Loaded with the first input: the first screen does not wait for dialogs. Without a network, the next form tries again.
  useSignalEffect(() => {
    if (!isUnsaved.value || dialog.peek() !== null) return;
    import('../screens/browsing.js').then(
      (browsing) => {
        dialog.value = browsing.DiscardDialog;
      },
      () => undefined,
    );
  });
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
