// Why something did not work. The region is there from the beginning, so that screen readers say what comes into it.

import type { Explanation } from '../state/api-errors.js';
import { language } from '../state/appearance.js';

/** Attributes for an element that shows a message from the server, which is always in English. */
export const serverTextAttributes = language === 'en' ? {} : { lang: 'en' };

export const ErrorDetail = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p class="error-detail" {...serverTextAttributes}>
      {text}
    </p>
  );

export const ErrorMessage = ({ of }: { readonly of: Explanation | null }) => (
  <div class="error" role="alert">
    {of !== null && <p>{of.text}</p>}
    {of !== null && <ErrorDetail text={of.detail} />}
  </div>
);
