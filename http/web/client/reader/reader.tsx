// Reads a book: one page fills the window, and keys, or a click on either half, turn it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Loaded, useFetched } from '../parts/fetched.js';
import { pagesList } from '../state/api.js';
import { at } from '../state/place.js';
import { goBack, linkTo } from '../state/router.js';

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export const Reader = ({ id }: { readonly id: string }) => {
  const pages = useFetched((signal) => pagesList({ id }, { signal }), [id]);
  const number = useSignal(1);
  useEffect(() => {
    const turn = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') goBack(linkTo('book', id));
      const count = pages.state.value.kind === 'done' ? pages.state.value.value.length : 0;
      number.value = Math.min(Math.max(1, number.value + (STEPS[key] ?? 0)), Math.max(1, count));
    };
    addEventListener('keydown', turn);
    return () => removeEventListener('keydown', turn);
  }, [id, number, pages.state]);
  return (
    <Loaded of={pages}>
      {() => (
        <img class="whole-page" src={at(`/api/v1/books/${encodeURIComponent(id)}/pages/${number.value}`)} alt="" />
      )}
    </Loaded>
  );
};
