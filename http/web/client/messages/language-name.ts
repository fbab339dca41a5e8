// The name of a language, as books give its code.

/** In another language, or the code where that is no code. */
export const languageName = (code: string, inLanguage: string): string => {
  try {
    return new Intl.DisplayNames(inLanguage, { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
};
