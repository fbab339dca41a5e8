// Draws the parts of a screen one after the other, each once the one before is visible: a slow device shows the first long before it has
// drawn them all, and responds to keys meanwhile.
import { useSignal } from '@preact/signals';
import { type ComponentChildren, toChildArray } from 'preact';
import { useEffect } from 'preact/hooks';

export const OneByOne = ({ children }: { readonly children: ComponentChildren }) => {
  const parts = toChildArray(children);
  const count = useSignal(1);
  const isComplete = count.value >= parts.length;
  useEffect(() => {
    if (isComplete) return undefined;
    const timer = setTimeout(() => {
      count.value += 1;
    });
    return () => clearTimeout(timer);
  }, [count.value, isComplete]);
  return <>{parts.slice(0, count.value)}</>;
};
