// A labelled field of a form, one of several lines, and a password that can be shown.
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../messages/messages.js';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password' | 'search';
  readonly autocomplete?: string;
  readonly autocapitalize?: 'none';
  readonly spellcheck?: boolean;
  readonly inputMode?: 'numeric' | 'decimal';
  readonly required?: boolean;
  /** Whether it is focused when it appears. The attribute alone works only on page load and in dialogs. */
  readonly autofocus?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly value?: string;
  /** What stands in it at first; what is typed stays when the form is drawn again. */
  readonly defaultValue?: string;
  readonly readOnly?: boolean;
  readonly onInput?: (event: InputEvent) => void;
}

export const Field = ({ label, hint, type = 'text', ...input }: FieldProps) => {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.autofocus === true) field.current?.focus();
  }, []);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={field}
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

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly rows: number;
}

export const TextArea = ({ label, name, value, rows }: TextAreaProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={rows} defaultValue={value} />
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
        {isShown.value ? t.auth.hide : t.auth.show}
      </button>
    </div>
  );
};
