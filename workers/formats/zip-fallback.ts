// The entries of a zip archive, including those that zip.ts cannot unpack: these go to the second reader, which is loaded when it is needed.
import { AppError } from '../../core/model/errors.js';
import { METHOD } from '../../core/model/page-table.js';
import { archivePasswords } from '../archive-passwords.js';
import type { BookFile } from '../book-file.js';
import { inPageRoom } from '../page-room.js';
import type { BookContext, Extent, ListedPage, PageHead } from './format.js';
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

export const needsSecondReader = ({ method }: Pick<Extent, 'method'>): boolean =>
  method === METHOD.deflate64 || method === METHOD.encrypted;

export const readBySecond = async (file: BookFile, page: Extent): Promise<Uint8Array> => {
  const { readEntry } = await import('./zip-second.js');
  return readEntry(file, page);
};

/** The second reader unpacks whole pages, so memory is held for them until their beginning has been looked at. */
export const inSecondRoom = <T>(room: BookContext['room'], page: ListedPage, work: () => Promise<T>): Promise<T> =>
  page.fault === 'none' && needsSecondReader(page) ? inPageRoom(room, page, work) : work();

export interface AllEntries {
  page(entry: ZipEntry): ListedPage;
  head(page: ListedPage, wanted: number): PageHead | Promise<PageHead>;
  whole(page: Extent): Uint8Array | Promise<Uint8Array>;
  /** The page that was unpacked last. */
  forget(): void;
  /** The content of an entry of at most `maxBytes`; null when it is larger, encrypted, or damaged. */
  read(entry: ZipEntry, maxBytes: number): Promise<Uint8Array | null>;
}

/** The first reader judges everything but the compression and the encryption. */
const pageOf = (archive: ZipArchive, entry: ZipEntry, isOpen: boolean): ListedPage => {
  const page = archive.page(entry);
  if (page.fault === 'encrypted' && isOpen)
    return { ...archive.page({ ...entry, method: METHOD.deflated, isEncrypted: false }), method: METHOD.encrypted };
  if (page.fault !== 'deflate64') return page;
  return { ...archive.page({ ...entry, method: METHOD.deflated }), method: METHOD.deflate64 };
};

const isLocked = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'EncryptedArchive';
const isDamaged = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'CorruptPage';

/** Trying passwords is slow by design: once as many entries of an archive were opened by none, the others are not tried. */
const LOCKED_MAX = 20;
/** How many entries are tried before an archive is given up, the smallest first. */
const FIRST_MAX = 3;

/** Whether a password opens one of the smallest encrypted entries. */
const isOpened = async (archive: ZipArchive, file: BookFile, context: BookContext): Promise<boolean> => {
  if (!archive.entries.some(({ isEncrypted }) => isEncrypted) || archivePasswords().length === 0) return false;
  const locked = archive.entries.filter((entry) => !entry.isFolder && archive.page(entry).fault === 'encrypted');
  const pages = locked.map((entry) => pageOf(archive, entry, true)).filter(({ fault }) => fault === 'none');
  if (pages.length === 0) return locked.length > 0; // each has another fault as well, which says more
  const smallest = pages.sort((a, b) => a.packedSize - b.packedSize).slice(0, FIRST_MAX);
  for (const page of smallest) {
    context.check();
    try {
      await inPageRoom(context.room, page, () => readBySecond(file, page));
      return true;
    } catch (thrown) {
      if (isDamaged(thrown)) return true; // reported for its page
      if (!isLocked(thrown)) throw thrown;
    }
  }
  return false;
};

export const allEntries = async (archive: ZipArchive, file: BookFile, context: BookContext): Promise<AllEntries> => {
  const isOpen = await isOpened(archive, file, context);
  let locked = 0;
  const readCounted = async (page: Extent, read = readBySecond): Promise<Uint8Array> => {
    context.check();
    if (page.method === METHOD.encrypted && locked >= LOCKED_MAX) throw new AppError('EncryptedArchive');
    return read(file, page).catch((thrown: unknown) => {
      locked += Number(isLocked(thrown));
      throw thrown;
    });
  };
  /** The second reader unpacks entries whole, and the beginning of a page may be wanted several times. */
  let last: { readonly offset: number; readonly size: number; readonly bytes: Uint8Array } | null = null;
  const unpack = async (page: Extent): Promise<Uint8Array> => {
    const offset = page.address.in === 'file' ? page.address.offset : 0;
    if (last?.offset === offset && last.size === page.size) return last.bytes;
    last = null; // not two pages at once
    const bytes = await readCounted(page);
    last = { offset, size: page.size, bytes };
    return bytes;
  };
  return {
    page: (entry) => pageOf(archive, entry, isOpen),
    head: (page, wanted) => {
      if (!needsSecondReader(page)) return archive.head(page, wanted);
      return unpack(page).then((bytes) => ({ address: page.address, bytes, isWhole: true }));
    },
    whole: (page) => (needsSecondReader(page) ? unpack(page) : archive.whole(page)),
    forget: () => {
      last = null;
    },
    read: async (entry, maxBytes) => {
      const page = pageOf(archive, entry, isOpen);
      if (!needsSecondReader(page)) return archive.read(entry, maxBytes);
      if (page.fault !== 'none' || Math.max(page.size, page.packedSize) > maxBytes) return null;
      return readCounted(page, (book, text) => inPageRoom(context.room, text, () => readBySecond(book, text))).catch(
        (thrown: unknown) => {
          if (isLocked(thrown) || isDamaged(thrown)) return null;
          throw thrown;
        },
      );
    },
  };
};
