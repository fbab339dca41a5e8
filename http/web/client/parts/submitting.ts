// Forms: submits one request at a time, and explains why it failed; asks before unsaved input is discarded.

import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { explain } from '../messages/explain.js';
import type { Explanation } from '../state/api-errors.js';
import { registerUnsaved } from '../state/unsaved.js';

export interface Submitting {
  readonly isBusy: Signal<boolean>;
  readonly error: Signal<Explanation | null>;
  readonly submit: (event: SubmitEvent) => void;
}

/** `send` gets the values by the names of the fields. */
export const useSubmitting = (
  send: (values: Readonly<Record<string, string>>) => Promise<void>,
  explained: (thrown: unknown) => Explanation = (thrown) => explain(thrown),
): Submitting => {
  const isBusy = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy.value || !(event.currentTarget instanceof HTMLFormElement)) return;
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]),
    );
    isBusy.value = true;
    error.value = null;
    send(values)
      .catch((thrown: unknown) => {
        error.value = explained(thrown);
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  return { isBusy, error, submit };
};

interface UnsavedInput {
  /** For the form. */
  readonly onInput: () => void;
  /** There is nothing to lose any more. */
  readonly saved: () => void;
}

/** Asks before the screen is left, from the first input until it is saved. */
export const useUnsavedInput = (): UnsavedInput => {
  const isChanged = useSignal(false);
  const saved = (): void => {
    isChanged.value = false;
  };
  // Not read while the form is rendered: rendering it between two events of one input would undo that input.
  useSignalEffect(() => (isChanged.value ? registerUnsaved(saved) : undefined));
  return {
    onInput: () => {
      isChanged.value = true;
    },
    saved,
  };
};
