// A mode of a screen that Back ends, before it leaves the screen.
import { useEffect, useRef } from 'preact/hooks';
import { openLayer } from '../state/layers.js';

export const useLayer = (isOpen: boolean, close: () => void): void => {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => (isOpen ? openLayer(() => latest.current()) : undefined), [isOpen]);
};
