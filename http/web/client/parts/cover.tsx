// Covers of books, series and lists: always in a box of their own shape, so that nothing moves when they arrive, or when there is none.
import { useSignal } from '@preact/signals';
import { serverUrl } from '../state/server-url.js';
import { stillSignedIn } from '../state/session.js';
import { Icon } from './icon.js';

export interface CoverOf {
  readonly kind: 'books' | 'series' | 'collections' | 'readlists';
  readonly id: string;
  readonly updatedAt: string;
}

const sourceOf = ({ kind, id, updatedAt }: CoverOf): string =>
  serverUrl(`/api/v1/${kind}/${encodeURIComponent(id)}/thumbnail?v=${Date.parse(updatedAt)}`);

interface PictureProps {
  readonly source: string;
  readonly alt: string;
  readonly isLazy: boolean;
}

/** An image cannot say why it failed. If the session had ended, the image is loaded once more in the next session. */
const Picture = ({ source, alt, isLazy }: PictureProps) => {
  const tries = useSignal(0);
  const fail = (): void => {
    if (tries.value > 0) {
      tries.value = 2;
      return;
    }
    stillSignedIn().then(
      (isAsBefore) => {
        tries.value = isAsBefore ? 2 : 1;
      },
      () => {
        tries.value = 2;
      },
    );
  };
  if (tries.value === 2) return <Icon name="book" />;
  return (
    <img
      src={tries.value === 0 ? source : `${source}&again=1`}
      alt={alt}
      decoding="async"
      loading={isLazy ? 'lazy' : 'eager'}
      draggable={false}
      onError={fail}
    />
  );
};

interface Props {
  readonly of: CoverOf;
  /** The text alternative; '' where the title stands beside the picture. */
  readonly alt?: string;
  readonly isLazy?: boolean;
}

export const Cover = ({ of, alt = '', isLazy = true }: Props) => {
  const source = sourceOf(of);
  return (
    <span class="cover">
      <Picture key={source} source={source} alt={alt} isLazy={isLazy} />
    </span>
  );
};
