// Sends a form: once at a time, and with the reason if it fails.
import { type Signal, useSignal } from '@preact/signals';
import { failureText } from './fetched.js';

export interface Submitting {
  readonly isBusy: Signal<boolean>;
  readonly fault: Signal<string | null>;
  readonly submit: (event: SubmitEvent) => void;
}

/** `send` gets the values by the names of the fields. */
export const useSubmitting = (
  send: (values: Readonly<Record<string, string>>) => Promise<void>,
  explain: (thrown: unknown) => string = failureText,
): Submitting => {
  const isBusy = useSignal(false);
  const fault = useSignal<string | null>(null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy.value || !(event.currentTarget instanceof HTMLFormElement)) return;
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]),
    );
    isBusy.value = true;
    fault.value = null;
    send(values)
      .catch((thrown: unknown) => {
        fault.value = explain(thrown);
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  return { isBusy, fault, submit };
};
