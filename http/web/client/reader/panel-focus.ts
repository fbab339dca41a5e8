// Where the keyboard goes when a panel closes: back to the button that was pressed by key, otherwise to the pages.

let pressed: HTMLElement | null = null;

/** Notes what is about to open a panel; null for anything but a button pressed by key. */
export const noteOpener = (button: HTMLElement | null): void => {
  pressed = button;
};

/** Takes what opened the panel; what is returned moves the focus. */
export const focusAfterPanel = (): (() => void) => {
  const opener = pressed;
  pressed = null;
  return () => {
    // A menu that has gone meanwhile takes no focus.
    if (opener !== null && opener.closest('[inert]') === null) opener.focus();
    else document.querySelector<HTMLElement>('.viewport')?.focus({ preventScroll: true });
  };
};
