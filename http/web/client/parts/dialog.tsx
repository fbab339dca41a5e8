// A dialog over the screen: a title, a way to close it, and what it is about. Escape, Back and the button close it; what was entered and would be
// lost is asked about first.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { openLayer } from '../state/layers.js';
import { Icon } from './icon.js';
import { rememberOpener } from './lost-focus.js';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  /** Whether closing it now would lose what was entered. */
  readonly isChanged?: () => boolean;
  /** Or a function of `dismiss`, which closes the dialog, asking first if input would be lost. */
  readonly children: ComponentChildren | ((dismiss: () => void) => ComponentChildren);
}

const NEVER = (): boolean => false;

/** Asks the browser to ask before the page is left. */
const useWarning = (isChanged: () => boolean): void => {
  const latest = useRef(isChanged);
  latest.current = isChanged;
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (latest.current()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
};

export const Dialog = ({ title, onClose, isWide = false, isChanged = NEVER, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isAsking = useSignal(false);
  const dismiss = (): void => {
    if (isChanged()) isAsking.value = true;
    else onClose();
  };
  const latest = useRef({ onClose, dismiss });
  latest.current = { onClose, dismiss };
  useWarning(isChanged);
  useLayoutEffect(() => {
    const { current } = dialog;
    // The event comes a moment later. By then, another dialog may have taken its place, and must not be closed.
    const closed = (): void => latest.current.onClose();
    const cancelled = (event: Event): void => {
      if (event.target !== current) return;
      event.preventDefault();
      latest.current.dismiss();
    };
    current?.addEventListener('close', closed);
    current?.addEventListener('cancel', cancelled);
    if (current !== null) rememberOpener(current);
    current?.showModal();
    const left = openLayer(() => latest.current.dismiss());
    return () => {
      left();
      current?.removeEventListener('close', closed);
      current?.removeEventListener('cancel', cancelled);
      current?.close();
    };
  }, []);
  return (
    <dialog ref={dialog} class={isWide ? 'dialog wide' : 'dialog'} aria-labelledby={id}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button round" aria-label={b.dialog.close} onClick={dismiss}>
          <Icon name="close" />
        </button>
      </header>
      {typeof children === 'function' ? children(dismiss) : children}
      {isAsking.value && (
        <DiscardDialog
          onDiscard={onClose}
          onKeep={() => {
            isAsking.value = false;
          }}
        />
      )}
    </dialog>
  );
};

interface DiscardProps {
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
}

export const DiscardDialog = ({ onDiscard, onKeep }: DiscardProps) => (
  <Dialog title={b.dialog.discardTitle} onClose={onKeep}>
    <p>{b.dialog.discardText}</p>
    <div class="buttons">
      <button type="button" class="button primary" onClick={onKeep}>
        {b.dialog.keep}
      </button>
      <button type="button" class="button danger" onClick={onDiscard}>
        {b.dialog.discard}
      </button>
    </div>
  </Dialog>
);
