// "/" opens the search from everywhere, as on many sites, unless one is typing or a dialog is open.
import { go, linkTo, screen } from '../state/router.js';

/** The field of the search screen, if that is what is shown. */
export const focusSearch = (): boolean => {
  const field = screen.value.name === 'search' ? document.querySelector<HTMLInputElement>('.search input') : null;
  field?.focus();
  field?.select();
  return field !== null;
};

const TYPED_INTO = 'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]';

const isForSearch = (event: KeyboardEvent): boolean =>
  event.key === '/' &&
  !(event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) &&
  !(event.target instanceof Element && event.target.matches(TYPED_INTO)) &&
  document.querySelector('dialog[open]') === null;

/** Listens while it is shown; the result ends it. */
export const listenForSearchKey = (): (() => void) => {
  const key = (event: KeyboardEvent): void => {
    if (!isForSearch(event)) return;
    event.preventDefault();
    if (!focusSearch()) go(linkTo('search'));
  };
  addEventListener('keydown', key);
  return () => removeEventListener('keydown', key);
};
