// Names of languages, of which books have only the codes.

/** The name, in the given language; or the code itself if it is not a valid one. */
export const languageName = (code: string, inLanguage: string): string => {
  try {
    return new Intl.DisplayNames(inLanguage, { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
};
