// A dialog over the pages: the settings beside them, so that what they change is seen, or a window of its own.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { Icon } from '../parts/icon.js';
import { openLayer } from '../state/layers.js';
import { focusAfterPanel } from './panel-focus.js';

interface Props {
  readonly title: string;
  readonly kind: 'side' | 'window';
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export const Panel = ({ title, kind, onClose, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    const moveFocus = focusAfterPanel();
    current?.showModal();
    const left = openLayer(() => current?.close());
    // Beside the dialog a click closes it; keys have Escape.
    const click = ({ target }: MouseEvent): void => {
      if (target === current) current?.close();
    };
    current?.addEventListener('click', click);
    return () => {
      left();
      current?.removeEventListener('click', click);
      current?.close();
      moveFocus();
    };
  }, []);
  return (
    <dialog ref={dialog} class={`reader-panel ${kind}`} aria-labelledby={id} onClose={onClose}>
      <div class="panel-inner">
        <header class="panel-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="button round" aria-label={r.bar.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div class="panel-body">{children}</div>
      </div>
    </dialog>
  );
};
