// Titles that programs write into a PDF by themselves: the name of the file it was made from, or that of a document nobody has named. The
// name of the PDF says more. If you change it, raise STORED_RULES.analysis.

/** Of documents, layouts and images, from which programs make PDFs. */
const FILE_NAME =
  /\.(?:docx?|odt|rtf|txt|pages|wp[ds]|pdf|e?ps|dvi|tex|xps|pptx?|odp|key|xlsx?|ods|indd|indb|qx[dp]|pmd|p65|pub|fm|ai|psd|cdr|afpub|svg|html?|php|aspx?|epub|mobi|azw3|cb[zrt7]|zip|jpe?g|jpe|png|tiff?|bmp|gif|webp|jp2)$/i;

/** `Microsoft Word - Chapter 3.docx` and what other programs put before the name of a file; addresses of files and empty pages. */
const BY_PROGRAM =
  /^(?:microsoft (?:office )?(?:word|powerpoint|excel|publisher)(?: -|$)|quarkxpress\b|file:|about:blank|[a-z]:\\|\\\\)/i;

const UNTITLED = [
  'untitled|no title|notitle|none|null|unknown|unnamed|undefined|anonymous|\\(?(?:anonymous|unspecified|untitled|null|none)\\)',
  'sans[ -]?titre|sin t[ií]tulo|senza titolo|sem t[ií]tulo|unbenannt|ohne titel|naamloos|zonder titel|bez tytułu|bez názvu|névtelen',
  'без названия|без имени|namnlös|nimetön|uten navn|unavngivet|adsız|無題|无标题|無標題|未命名|제목 없음|名称未設定',
].join('|');
const DEFAULTS =
  'document|dokument|documento|layout|slide|folie|presentation|präsentation|powerpoint presentation|pdf document|adobe photoshop pdf|' +
  'full page (?:photo|fax print)|scan|scanned document|print';

/** With a number, as the second unnamed document has. */
const UNNAMED = new RegExp(`^(?:${UNTITLED}|${DEFAULTS})[\\s_-]{0,3}(?:\\d{1,14}|\\(\\d{1,4}\\))?$`, 'i');

const CONVERTED_MAX = 512;

/** Null if the title is none. */
export const withoutPlaceholder = (title: string | null): string | null => {
  const text = title?.trim().slice(0, CONVERTED_MAX) ?? '';
  return [FILE_NAME, BY_PROGRAM, UNNAMED].some((pattern) => pattern.test(text)) ? null : title;
};
