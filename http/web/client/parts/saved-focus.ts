// Going back to a list focuses the link by which it was left.
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { takeLink } from '../state/router.js';

/** Once the link is rendered, unless something else has focus by then. */
export const useSavedFocus = (list: RefObject<HTMLElement | null>): void => {
  const [wanted] = useState(() => ({ href: takeLink() }));
  useEffect(() => {
    const { current } = list;
    if (wanted.href === null || current === null) return;
    if (document.activeElement?.contains(current) === false) wanted.href = null;
    const link = [...current.querySelectorAll('a')].find((one) => one.getAttribute('href') === wanted.href);
    if (link === undefined) return;
    wanted.href = null;
    link.focus({ preventScroll: true });
  });
};
