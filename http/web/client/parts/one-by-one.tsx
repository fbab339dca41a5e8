// Parts of a screen that are drawn one after the other, each when the one before can be seen: a slow device shows the first of them long
// before it has made them all, and answers keys meanwhile.
import { useSignal } from '@preact/signals';
import { type ComponentChildren, toChildArray } from 'preact';
import { useEffect } from 'preact/hooks';

export const OneByOne = ({ children }: { readonly children: ComponentChildren }) => {
  const parts = toChildArray(children);
  const count = useSignal(1);
  const isWhole = count.value >= parts.length;
  useEffect(() => {
    if (isWhole) return undefined;
    const timer = setTimeout(() => {
      count.value += 1;
    });
    return () => clearTimeout(timer);
  }, [count.value, isWhole]);
  return <>{parts.slice(0, count.value)}</>;
};
