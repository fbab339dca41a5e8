// Covers of books and series: always in a box of their own shape, so that nothing moves when they arrive.
import { useSignal } from '@preact/signals';
import { at } from '../state/place.js';
import { renewOrAsk } from '../state/session.js';

export interface CoverOf {
  readonly kind: 'books' | 'series';
  readonly id: string;
  readonly updatedAt: string;
}

const sourceOf = ({ kind, id, updatedAt }: CoverOf): string =>
  at(`/api/v1/${kind}/${encodeURIComponent(id)}/thumbnail?v=${Date.parse(updatedAt)}`);

interface Props {
  readonly of: CoverOf;
  /** Said for the picture; '' where its title stands beside it. */
  readonly alt?: string;
  readonly isLazy?: boolean;
}

export const Cover = ({ of, alt = '', isLazy = true }: Props) => {
  const source = sourceOf(of);
  const tries = useSignal(0);
  // A session may have ended meanwhile: an image cannot say so.
  const retry = (): void => {
    if (tries.value > 0) return;
    renewOrAsk().then(
      () => {
        tries.value = 1;
      },
      () => undefined,
    );
  };
  return (
    <span class="cover">
      <img
        src={tries.value === 0 ? source : `${source}&again=1`}
        alt={alt}
        decoding="async"
        loading={isLazy ? 'lazy' : 'eager'}
        draggable={false}
        onError={retry}
      />
    </span>
  );
};
