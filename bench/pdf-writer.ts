// Writes PDF documents for measurements: pages that are one JPEG, scans with a line of text over them, pages of text and lines. ISO
// 32000-1, 7.5.

export interface PdfImage {
  readonly bytes: Uint8Array;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** A4 in points. */
const PAPER = { width: 595, height: 842 };
const CATALOG = 1;
const TREE = 2;
const FONT = 3;

interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly content: string;
  readonly image: PdfImage | null;
}

const stream = (dictionary: string, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`<<${dictionary}/Length ${bytes.length}>>\nstream\n`), bytes, Buffer.from('\nendstream')]);

const imageObject = ({ bytes, width, height }: PdfImage): Buffer =>
  stream(
    `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
    bytes,
  );

/** Objects of a page, numbered from `first`: the page, its content, its image. */
const pageObjects = (page: PdfPage, first: number): Buffer[] => {
  const { width, height, content, image } = page;
  const fonts = content.includes('Tf') ? `/Font<</F ${FONT} 0 R>>` : '';
  const images = image === null ? '' : `/XObject<</I ${first + 2} 0 R>>`;
  return [
    Buffer.from(
      `<</Type/Page/Parent ${TREE} 0 R/MediaBox[0 0 ${width} ${height}]/Resources<<${fonts}${images}>>/Contents ${first + 1} 0 R>>`,
    ),
    stream('', Buffer.from(content)),
    ...(image === null ? [] : [imageObject(image)]),
  ];
};

const assemble = (pages: readonly PdfPage[]): Buffer => {
  const objects: Buffer[] = [];
  const kids: number[] = [];
  for (const page of pages) {
    const first = FONT + 1 + objects.length;
    kids.push(first);
    objects.push(...pageObjects(page, first));
  }
  const all = [
    Buffer.from(`<</Type/Catalog/Pages ${TREE} 0 R>>`),
    Buffer.from(`<</Type/Pages/Count ${kids.length}/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]>>`),
    Buffer.from('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'),
    ...objects,
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let position = parts[0]?.length ?? 0;
  for (const [index, object] of all.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + CATALOG} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.push(position);
    position += part.length;
    parts.push(part);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${rows}trailer\n<</Size ${all.length + 1}/Root ${CATALOG} 0 R>>\nstartxref\n${position}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
};

/** Half a point per pixel: a page of 2,000 pixels is a little larger than A4. */
const pointsOf = ({ width, height }: PdfImage): { width: number; height: number } => ({
  width: width / 2,
  height: height / 2,
});

/** Pages that are one JPEG each and nothing else. */
export const writeImagePdf = (images: readonly PdfImage[]): Buffer =>
  assemble(
    images.map((image) => {
      const { width, height } = pointsOf(image);
      return { width, height, content: `q ${width} 0 0 ${height} 0 0 cm /I Do Q`, image };
    }),
  );

/** Scans as in digitised collections: an image with invisible recognised text over it. Such a page is sent as its JPEG. */
export const writeScanPdf = (images: readonly PdfImage[]): Buffer =>
  assemble(
    images.map((image, index) => {
      const { width, height } = pointsOf(image);
      const text = `BT /F 12 Tf 3 Tr 50 50 Td (page ${index + 1}) Tj ET`;
      return { width, height, content: `q ${width} 0 0 ${height} 0 0 cm /I Do Q ${text}`, image };
    }),
  );

const LINES_OF_TEXT = 50;
const STROKES = 300;

/** A page of fifty lines of text and three hundred curves. */
const textContent = (page: number): string => {
  const lines = Array.from(
    { length: LINES_OF_TEXT },
    (_, line) =>
      `1 0 0 1 50 ${790 - line * 15} Tm (Page ${page + 1}, line ${line + 1}: the quick brown fox jumps over it all.) Tj`,
  );
  const curves = Array.from({ length: STROKES }, (_, n) => {
    const [x, y] = [(n * 37 + page * 11) % PAPER.width, (n * 53) % PAPER.height];
    return `${x} ${y} m ${x + 60} ${y + 20} ${x - 40} ${y + 90} ${x + 30} ${y + 120} c S`;
  });
  return `BT /F 11 Tf ${lines.join(' ')} ET 0.4 w 0.2 0.4 0.7 RG ${curves.join(' ')}`;
};

export const writeTextPdf = (pages: number): Buffer =>
  assemble(Array.from({ length: pages }, (_, page) => ({ ...PAPER, content: textContent(page), image: null })));
