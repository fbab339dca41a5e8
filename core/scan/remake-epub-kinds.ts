// How EPUBs are laid out, computed from their stored outlines and page tables.
import { epubKindOf } from '../model/outline.js';
import { PageTable } from '../model/page-table.js';
import { unpackOutline } from '../model/stored-outline.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import type { Range } from './remake-pages.js';

interface Row {
  readonly id: number;
  readonly stored: string | null;
  readonly outline: Buffer | null;
  readonly pages: Buffer | null;
}

/** Null for what cannot be read: the next analysis of the book stores it anew. */
const kindOf = ({ outline, pages }: Row): string | null => {
  if (outline === null) return null;
  try {
    return epubKindOf(unpackOutline(outline), pages === null ? 0 : new PageTable(pages).pageCount);
  } catch {
    return null;
  }
};

export const remakeEpubKinds = async (tx: Tx, { from, to }: Range): Promise<undefined> => {
  const rows = await tx.all<Row>(
    `SELECT b.id, b.epub_kind AS stored, o.outline, p.page_table AS pages
     FROM book b LEFT JOIN book_outline o ON o.book_id = b.id AND b.format = 'epub' LEFT JOIN book_pages p ON p.book_id = o.book_id
     WHERE b.id BETWEEN ? AND ? AND (b.format = 'epub' OR b.epub_kind IS NOT NULL)`,
    [from, to],
  );
  const changed = rows.flatMap((row) => (kindOf(row) === row.stored ? [] : [[row.id, kindOf(row)] as const]));
  if (changed.length === 0) return undefined;
  await tx.run('UPDATE book SET epub_kind = j.value ->> 1 FROM json_each(?) j WHERE book.id = j.value ->> 0', [
    JSON.stringify(changed),
  ]);
  tx.report(
    updated(
      'book',
      changed.map(([key]) => key),
      ASPECTS.list,
    ),
  );
  return undefined;
};
