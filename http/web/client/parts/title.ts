// The title of the window, which is also what screen readers say first after a change of the screen.
import { useEffect } from 'preact/hooks';

export const useTitle = (title: string | undefined): void => {
  useEffect(() => {
    document.title = title === undefined ? 'Longbox' : `${title} · Longbox`;
  }, [title]);
};
