// The words before numbers of volumes, chapters and issues in several languages, and the East Asian counters after them: parts of patterns
// for names and for the fields of metadata. Pure data. A change raises STORED_RULES.titles, volumes and numbers.

/** A single letter needs its number next to it: `World War V 001` has no volume. */
export const VOLUME_WORDS =
  'volumes?|volumen|vols?|v(?=[\\d._])|tom[eo]s?|tom|t(?=\\.?\\d)|band|bd|deel|том|т(?=\\.?\\s?\\d)|книга|tập|เล่ม|[卷巻](?=\\s?\\d)';
export const CHAPTER_WORDS =
  'chapters?|chapitres?|chap|chp?|c|kapitel|kap|cap[ií]tulos?|capitolo|cap|глав[аы]|гл|rozdział|chương|ตอนที่|ตอน|[話话](?=\\s?\\d)';
export const ISSUE_WORDS = 'issues?|heft|n[uú]m[eé]ros?|fascicolo|выпуск|вып';
/** Abbreviations of "number". Without a full stop, `no` and `nr` may be anything (`Ao no 2`); `n` always needs one. */
export const NUMBER_MARKS = 'no|nr|nro|n[uú]m|number';
/** `Book 11`, but not `Guide Book 2019`. */
export const PART_WORDS = 'part|pt|teil|partie|parte|часть|(?:book|buch|livre|libro|livro)(?=[\\s_]?\\d{1,3}(?!\\d))';
export const EPISODE_WORDS = 'episode|ep|s\\d{1,2}\\s?ep?(?=\\.?\\s?\\d)';

/** Words that may also come after an ordinal number: `3 том 12 глава`, `2. Cilt 15. Bölüm`. In some languages only after a point. */
export const VOLUME_ORDINALS = 'том|cilt|kötet|(?<=\\.\\s{0,2})(?:band|tom|díl)';
export const CHAPTER_ORDINALS = 'глава|розділ|bölüm|fejezet|(?<=\\.\\s{0,2})(?:kapitel|rozdział|kapitola)';

export const VOLUME_COUNTERS = '巻|卷|册|冊|集|권';
export const CHAPTER_COUNTERS = '話|话|章|回|화|회|장';
