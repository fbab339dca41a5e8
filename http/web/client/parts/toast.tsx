// The message at the edge of the screen, with a button for what can be undone.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { explain } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { session } from '../state/session.js';
import { hideToast, holdToast, releaseToast, showToast, type Toast, toast } from '../state/toast.js';

const UndoButton = ({ undo }: { readonly undo: NonNullable<Toast['undo']> }) => {
  const isBusy = useSignal(false);
  const run = (): void => {
    if (isBusy.value) return;
    isBusy.value = true;
    holdToast();
    undo().then(showToast, (thrown: unknown) => showToast(explain(thrown).text));
  };
  return (
    <button type="button" class="button" onClick={run}>
      {t.app.undo}
    </button>
  );
};

export const ToastLine = () => {
  const { value: shown } = toast;
  const isSignedIn = session.value.kind === 'user';
  // It may name what only that user sees.
  useEffect(() => (isSignedIn ? hideToast : undefined), [isSignedIn]);
  return (
    <div
      class={shown === null ? 'toast' : 'toast shown'}
      onPointerEnter={holdToast}
      onPointerLeave={releaseToast}
      onFocusIn={holdToast}
      onFocusOut={releaseToast}
    >
      <p role="status">{shown?.text}</p>
      {shown?.undo !== undefined && <UndoButton key={shown.text} undo={shown.undo} />}
    </div>
  );
};
