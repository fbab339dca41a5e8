// The title on a card. Where space is short, the number at the end is kept: it tells the books of a series apart.
import { partsOf } from './title-parts.js';

export const CardTitle = ({ title, series }: { readonly title: string; readonly series?: string }) => {
  const { before, shown, end } = partsOf(title, series);
  return (
    <span class={end === '' ? 'card-title' : 'card-title with-end'} dir="auto">
      {before !== '' && <span class="visually-hidden">{before}</span>}
      {end === '' ? shown : <span class="cut">{`${shown} `}</span>}
      {end !== '' && <span>{end}</span>}
    </span>
  );
};
