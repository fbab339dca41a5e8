// A field for the number of a page, and the button that uses it.
import { useSignal } from '@preact/signals';
import { Field } from './field.js';
import { pageTyped } from './page-typed.js';

interface Props {
  readonly class: string;
  readonly label: string;
  /** The text of the button. */
  readonly action: string;
  readonly count: number;
  /** What the field contains at first. */
  readonly initial?: string;
  /** The page, from 0. */
  readonly onPage: (page: number) => void;
}

export const PageNumberForm = ({ class: look, label, action, count, initial = '', onPage }: Props) => {
  const typed = useSignal(initial);
  const page = pageTyped(typed.value, count);
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault();
        if (page !== null) onPage(page);
      }}
    >
      <Field
        label={label}
        name="page"
        inputMode="numeric"
        autocomplete="off"
        value={typed.value}
        onInput={({ currentTarget }) => {
          if (currentTarget instanceof HTMLInputElement) typed.value = currentTarget.value;
        }}
      />
      <button type="submit" class="button" disabled={page === null}>
        {action}
      </button>
    </form>
  );
};
