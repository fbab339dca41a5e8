// Where focus goes when a panel closes: back to the button, if it was pressed by keyboard, otherwise to the pages.

let pressed: HTMLElement | null = null;

/** Remembers the button about to open a panel; null unless it was pressed by keyboard. */
export const noteOpener = (button: HTMLElement | null): void => {
  pressed = button;
};

/** Takes the button that opened the panel; the returned function moves the focus. */
export const focusAfterPanel = (): (() => void) => {
  const opener = pressed;
  pressed = null;
  return () => {
    // A menu hidden meanwhile cannot be focused.
    if (opener !== null && opener.closest('[inert]') === null) opener.focus();
    else document.querySelector<HTMLElement>('.viewport')?.focus({ preventScroll: true });
  };
};
