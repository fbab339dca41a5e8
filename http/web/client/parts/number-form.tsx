// A field for a number, such as that of a page, and the button that uses it.
import { useSignal } from '@preact/signals';
import { Field } from './field.js';

interface Props {
  readonly class: string;
  readonly label: string;
  /** The text of the button. */
  readonly action: string;
  /** What the field contains at first. */
  readonly initial?: string;
  /** Whether the number may have a fraction. */
  readonly isDecimal?: boolean;
  /** What a text stands for; null if for nothing that can be used. */
  readonly parse: (text: string) => number | null;
  readonly onNumber: (number: number) => void;
}

export const NumberForm = ({ class: look, label, action, initial = '', isDecimal = false, parse, onNumber }: Props) => {
  const typed = useSignal(initial);
  const number = parse(typed.value);
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault();
        if (number !== null) onNumber(number);
      }}
    >
      <Field
        label={label}
        name="number"
        inputMode={isDecimal ? 'decimal' : 'numeric'}
        autocomplete="off"
        value={typed.value}
        onInput={({ currentTarget }) => {
          if (currentTarget instanceof HTMLInputElement) typed.value = currentTarget.value;
        }}
      />
      <button type="submit" class="button" disabled={number === null}>
        {action}
      </button>
    </form>
  );
};
