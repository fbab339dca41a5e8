// "/" opens the search from anywhere, as on many sites, except while typing or in a dialog.
import { go, linkTo, screen } from '../state/router.js';

/** Focuses the field of the search screen; false if another screen is shown. */
export const focusSearch = (): boolean => {
  const field = screen.value.name === 'search' ? document.querySelector<HTMLInputElement>('.search input') : null;
  field?.focus();
  field?.select();
  return field !== null;
};

const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]';

const isForSearch = (event: KeyboardEvent): boolean =>
  event.key === '/' &&
  !(event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) &&
  !(event.target instanceof Element && event.target.matches(TEXT_FIELDS)) &&
  document.querySelector('dialog[open]') === null;

/** Starts listening; the returned function stops it. */
export const listenForSearchKey = (): (() => void) => {
  const key = (event: KeyboardEvent): void => {
    if (!isForSearch(event)) return;
    event.preventDefault();
    if (!focusSearch()) go(linkTo('search'));
  };
  addEventListener('keydown', key);
  return () => removeEventListener('keydown', key);
};
