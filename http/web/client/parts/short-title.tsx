// The title of a book where the name of its series stands nearby: without that name, which only screen readers hear again.
import { partsOf } from './title-parts.js';

export const ShortTitle = ({ title, series }: { readonly title: string; readonly series: string }) => {
  const { before, shown, end } = partsOf(title, series);
  return (
    <>
      {before !== '' && <span class="visually-hidden">{before}</span>}
      {[shown, end].filter(Boolean).join(' ')}
    </>
  );
};
