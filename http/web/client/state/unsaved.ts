// Input on screens that would be lost if the user left: the app asks first. (Dialogs ask for themselves.)
import { signal } from '@preact/signals';
import { leaveLayers, openLayer } from './layers.js';

interface Unsaved {
  /** Removes its entry from the history. */
  readonly close: () => void;
  /** Called when what was entered is given up. */
  readonly forget: () => void;
}

const forms = new Set<Unsaved>();

/** Whether there is such input. */
export const isUnsaved = signal(false);

/** Leaves the screen once the user confirms; null while no question is shown. */
export const pendingLeave = signal<(() => void) | null>(null);

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Leaves the screen, at once if nothing would be lost. */
export const leave = (go: () => void): void => {
  if (forms.size === 0) go();
  else pendingLeave.value = go;
};

const remove = (form: Unsaved): void => {
  form.close();
  forms.delete(form);
  if (forms.size > 0) return;
  isUnsaved.value = false;
  removeEventListener('beforeunload', warn);
  pendingLeave.value = null;
};

/** Forgets what was entered: it was saved, or is not wanted any more. */
export const forgetUnsaved = (): void => {
  for (const form of [...forms]) {
    remove(form);
    form.forget();
  }
};

export const confirmLeaving = (): void => {
  const { value: go } = pendingLeave;
  forgetUnsaved();
  if (go !== null) leaveLayers(go);
};

/** Back asks, as links do. Returns a function that removes the form. */
export const registerUnsaved = (forget: () => void): (() => void) => {
  const form: Unsaved = {
    close: openLayer(() => {
      pendingLeave.value = () => history.back();
    }),
    forget,
  };
  forms.add(form);
  isUnsaved.value = true;
  addEventListener('beforeunload', warn);
  return () => remove(form);
};
