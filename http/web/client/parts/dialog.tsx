// A dialog over the screen: a title, a way to close it, and what it is about.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { Icon } from './icon.js';
import { rememberOpener } from './lost-focus.js';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export const Dialog = ({ title, onClose, isWide = false, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const latest = useRef(onClose);
  latest.current = onClose;
  useLayoutEffect(() => {
    const { current } = dialog;
    // The event comes a moment later. By then, another dialog may have taken its place, and must not be closed.
    const closed = (): void => latest.current();
    current?.addEventListener('close', closed);
    if (current !== null) rememberOpener(current);
    current?.showModal();
    return () => {
      current?.removeEventListener('close', closed);
      current?.close();
    };
  }, []);
  return (
    <dialog ref={dialog} class={isWide ? 'dialog wide' : 'dialog'} aria-labelledby={id}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button round" aria-label={b.dialog.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
};
