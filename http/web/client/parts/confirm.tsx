// Asks before something is deleted. What cannot be undone is confirmed by typing its name.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './error-message.js';
import { Field } from './field.js';
import { useSubmitting } from './submitting.js';

interface Props {
  readonly title: string;
  readonly text: string;
  /** What the button says. */
  readonly action: string;
  /** What has to be typed, and what the field for it says. */
  readonly typed?: { readonly label: string; readonly word: string };
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export const Confirm = ({ title, text, action, typed, onConfirm, onClose }: Props) => {
  const word = useSignal('');
  const { isBusy, error, submit } = useSubmitting(onConfirm);
  const isSure = typed === undefined || word.value.trim() === typed.word.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>{text}</p>
        {typed !== undefined && (
          <Field
            label={typed.label}
            name="word"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              if (event.target instanceof HTMLInputElement) word.value = event.target.value;
            }}
          />
        )}
        <ErrorMessage of={error.value} />
        <div class="buttons">
          <button type="submit" class="button danger" disabled={isBusy.value || !isSure}>
            {action}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {b.dialog.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
