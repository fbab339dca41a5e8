// Whether something was entered into a form since it was opened.
import { useRef } from 'preact/hooks';

/** `note` is called by events of its fields. */
export const useEntered = () => {
  const isEntered = useRef(false);
  return {
    is: (): boolean => isEntered.current,
    note: (): void => {
      isEntered.current = true;
    },
  };
};
