// A row of covers that is scrolled sideways, by touch, wheel and arrow keys alike.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { moveByArrows } from './arrow-keys.js';

interface Props {
  readonly title: string;
  readonly count: number;
  /** Where all of it is, if there is more. */
  readonly href?: string;
  /** List items. */
  readonly children: ComponentChildren;
}

export const Shelf = ({ title, count, href, children }: Props) => {
  const id = useId();
  if (count === 0) return null;
  return (
    <section class="shelf" aria-labelledby={id}>
      <h2 id={id}>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
      <ul onKeyDown={moveByArrows}>{children}</ul>
    </section>
  );
};
