// Content streams of pages that are one image and text, which is seen or not.

/** An image over all of a page of 60 by 80 points. */
export const PLACED = 'q 60 0 0 80 0 0 cm /I Do Q';

export const FONT = '/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>';
export const TYPE_3 =
  '/Font<</F<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]' +
  '/Encoding<</Differences[97/a]>>/CharProcs<</a 6 0 R>>>>>>';

/** Pages with text that is seen, or might be. */
export const WITH_VISIBLE_TEXT: readonly string[] = [
  `${PLACED} BT /F 12 Tf 5 5 Td (seen) Tj ET`,
  `${PLACED} BT /F 12 Tf 5 5 Td (seen) Tj 3 Tr (not seen) Tj ET`,
  `${PLACED} BT 3 Tr /F 12 Tf 5 5 Td (not seen) Tj 0 Tr (seen) Tj ET`,
  `${PLACED} BT 3 Tr 1 Tr /F 12 Tf 5 5 Td (seen) Tj ET`,
  `${PLACED} BT 7 Tr /F 12 Tf 5 5 Td (a clipping path) Tj ET`,
  `BT 7 Tr /F 12 Tf 5 5 Td (a clipping path) Tj ET ${PLACED}`,
  `q 3 Tr Q ${PLACED} BT /F 12 Tf 5 5 Td [(seen) 3 (3 Tr)] TJ ET`,
  `${PLACED} q BT 3 Tr /F 12 Tf 5 5 Td (not seen) Tj ET Q BT /F 12 Tf 5 5 Td (seen) Tj ET`,
  `Q 3 Tr ${PLACED} BT /F 12 Tf 5 5 Td (in doubt) Tj ET`,
  `${PLACED} BT (3 Tr) pop /F 12 Tf 5 5 Td (seen) Tj ET`,
  `${PLACED} % 3 Tr\nBT /F 12 Tf 5 5 Td (seen) Tj ET`,
  `${PLACED} BT 3 Tr /F 12 Tf (not seen) Tj ET 0 0 30 30 re f`,
  `${PLACED} BT 3 Tr /F 12 Tf (not seen) Tj ET /OC /L BDC EMC`,
  `${PLACED} BT 3 Tr /F 12 Tf (not seen) Tj`,
  `${PLACED} BT 3 Tr /F 12 Tf (not closed Tj ET`,
  `${PLACED} BT 3 Tr ET BI /W 1/H 1/BPC 8/CS/G ID a EI`,
  `(not seen) ${PLACED} BT 3 Tr /F 12 Tf (not seen) Tj ET`,
];

/** Pages whose text is not seen. */
export const WITH_HIDDEN_TEXT: readonly string[] = [
  `${PLACED} BT 3 Tr /F 12 Tf 5 5 Td (not seen) Tj ET`,
  `BT 3 Tr /F 12 Tf 5 5 Td (not seen) Tj ET ${PLACED}`,
  `3 Tr ${PLACED} BT /F 12 Tf 5 5 Td <6e6f> Tj T* (no) ' ET BT 1 0 0 1 5 9 Tm 1 2 (no) " ET`,
  `q BT 3 Tr 90 Tz /F 12 Tf 5 5 Td [(0 Tr (seen) \\) Tj) -20 <00>] TJ ET Q ${PLACED}`,
  `/P <</MCID 0>> BDC ${PLACED} EMC BT /Span <</MCID 1>> BDC 3 Tr /F 12 Tf (no) Tj EMC ET`,
  `${PLACED} BT 3 Tr /F 12 Tf ${'(recognised words) Tj 0 -1 Td '.repeat(2000)} ET`,
  PLACED,
];
