// The title on a card. There is little room, and what tells the books of a series apart stands at the end: it is never what is cut off.
import { partsOf } from './title-parts.js';

export const CardTitle = ({ title, series }: { readonly title: string; readonly series?: string }) => {
  const { before, shown, end } = partsOf(title, series);
  return (
    <span class={end === '' ? 'card-title' : 'card-title with-end'}>
      {before !== '' && <span class="visually-hidden">{before}</span>}
      {end === '' ? shown : <span class="cut">{`${shown} `}</span>}
      {end !== '' && <span>{end}</span>}
    </span>
  );
};
