// A text to be used on another device or in another app: copied, or scanned as a QR code.
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { a } from '../messages/apps-messages.js';
import { QrCode } from './qr-code.js';

/** Browsers allow the clipboard API only over TLS and on localhost; elsewhere, selected text can still be copied. */
const copy = async (field: HTMLInputElement): Promise<boolean> => {
  if (isSecureContext) {
    await navigator.clipboard.writeText(field.value);
    return true;
  }
  field.select();
  return document.execCommand('copy');
};

type Copied = 'no' | 'yes' | 'failed';
const MESSAGES: Readonly<Record<Copied, () => string>> = {
  no: () => '',
  yes: () => a.copied,
  failed: () => a.notCopied,
};

interface Props {
  readonly label: string;
  /** Whether it is said beside it anyway. */
  readonly isLabelHidden?: boolean;
  readonly text: string;
}

export const CopyField = ({ label, isLabelHidden = false, text }: Props) => {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const copied = useSignal<Copied>('no');
  const isCodeShown = useSignal(false);
  const take = (): void => {
    if (field.current === null) return;
    copy(field.current).then(
      (isDone) => {
        copied.value = isDone ? 'yes' : 'failed';
      },
      () => {
        copied.value = 'failed';
      },
    );
  };
  return (
    <div class="copy-field">
      <div class="field">
        <label for={id} class={isLabelHidden ? 'visually-hidden' : undefined}>
          {label}
        </label>
        <input
          id={id}
          ref={field}
          type="text"
          class="path"
          value={text}
          readOnly
          spellcheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div class="copy-field-buttons">
        <button type="button" class="button" onClick={take}>
          {a.copy}
          <span class="visually-hidden"> {label}</span>
        </button>
        <button
          type="button"
          class="button"
          aria-expanded={isCodeShown.value}
          onClick={() => {
            isCodeShown.value = !isCodeShown.value;
          }}
        >
          {a.qr}
          <span class="visually-hidden"> {label}</span>
        </button>
      </div>
      <p class="hint" role="status">
        {MESSAGES[copied.value]()}
      </p>
      {isCodeShown.value && <QrCode text={text} label={a.qrOf(label)} />}
    </div>
  );
};
