// The question that is asked before unsaved input is discarded, once for all screens.
import { useSignal, useSignalEffect } from '@preact/signals';
import { t } from '../messages/messages.js';
import { confirmLeaving, isUnsaved, pendingLeave } from '../state/unsaved.js';
import type { DiscardDialog } from './dialog.js';

export const LeavingQuestion = () => {
  const dialog = useSignal<typeof DiscardDialog | null>(null);
  const hasFailed = useSignal(false);
  // Loaded with the first input: the first screen does not wait for dialogs.
  useSignalEffect(() => {
    if (!isUnsaved.value || dialog.peek() !== null) return;
    import('../screens/browsing.js').then(
      (browsing) => {
        dialog.value = browsing.DiscardDialog;
      },
      () => {
        hasFailed.value = true;
      },
    );
  });
  // Without a network, or after an update of the server, it cannot be loaded: then the browser asks.
  useSignalEffect(() => {
    if (!hasFailed.value || pendingLeave.value === null) return;
    if (confirm(t.app.discard)) confirmLeaving();
    else pendingLeave.value = null;
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
