// A labelled field of a form, and a password that can be shown.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { t } from '../messages/messages.js';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password' | 'search';
  readonly autocomplete?: string;
  readonly autocapitalize?: 'none';
  readonly spellcheck?: boolean;
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly value?: string;
  readonly readOnly?: boolean;
  readonly onInput?: (event: InputEvent) => void;
}

export const Field = ({ label, hint, type = 'text', ...input }: FieldProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type as 'text'}
        {...input}
        {...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` })}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

export const PasswordField = (props: FieldProps) => {
  const isShown = useSignal(false);
  return (
    <div class="password">
      <Field {...props} type={isShown.value ? 'text' : 'password'} />
      <button
        type="button"
        class="link-button"
        onClick={() => {
          isShown.value = !isShown.value;
        }}
      >
        {isShown.value ? t.door.hide : t.door.show}
      </button>
    </div>
  );
};
