// The entries of a zip archive, including those that zip.ts cannot unpack: these go to the second reader, which is loaded when it is needed.
import { AppError } from '../../core/model/errors.js';
import { METHOD } from '../../core/model/page-table.js';
import { archivePasswords } from '../archive-passwords.js';
import type { BookFile } from '../book-file.js';
import type { Extent, ListedPage, PageHead } from './format.js';
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

export const needsSecondReader = ({ method }: Pick<Extent, 'method'>): boolean =>
  method === METHOD.deflate64 || method === METHOD.encrypted;

export const readBySecond = async (file: BookFile, page: Extent): Promise<Uint8Array> => {
  const { readEntry } = await import('./zip-second.js');
  return readEntry(file, page);
};

export interface AllEntries {
  page(entry: ZipEntry): ListedPage;
  head(page: ListedPage, wanted: number): PageHead | Promise<PageHead>;
  whole(page: Extent): Uint8Array | Promise<Uint8Array>;
  /** The content of an entry of at most `maxBytes`; null when it is larger, encrypted, or damaged. */
  read(entry: ZipEntry, maxBytes: number): Promise<Uint8Array | null>;
}

/** The first reader judges everything but the compression. */
const pageOf = (archive: ZipArchive, entry: ZipEntry, isOpen: boolean): ListedPage => {
  const page = archive.page(entry);
  if (page.fault === 'encrypted' && isOpen)
    return { ...archive.page({ ...entry, method: METHOD.deflated, isEncrypted: false }), method: METHOD.encrypted };
  if (page.fault !== 'deflate64') return page;
  return { ...archive.page({ ...entry, method: METHOD.deflated }), method: METHOD.deflate64 };
};

/** Whether a password opens the smallest of the encrypted entries. Passwords are slow to try by design, so this is done once per archive. */
const isOpened = async (archive: ZipArchive, file: BookFile): Promise<boolean> => {
  if (archivePasswords().length === 0) return false;
  const locked = archive.entries.filter((entry) => !entry.isFolder && archive.page(entry).fault === 'encrypted');
  const pages = locked.map((entry) => pageOf(archive, entry, true)).filter(({ fault }) => fault === 'none');
  const [least] = pages.sort((a, b) => a.packedSize - b.packedSize);
  if (least === undefined) return false;
  const opened = readBySecond(file, least).then(() => true);
  return opened.catch((thrown: unknown) => {
    if (thrown instanceof AppError && thrown.kind === 'CorruptPage') return false;
    throw thrown;
  });
};

export const allEntries = async (archive: ZipArchive, file: BookFile): Promise<AllEntries> => {
  const isOpen = await isOpened(archive, file);
  /** The second reader unpacks entries whole, and the beginning of a page may be wanted several times. */
  let last: { readonly offset: number; readonly bytes: Uint8Array } | null = null;
  const unpack = async (page: Extent): Promise<Uint8Array> => {
    const offset = page.address.in === 'file' ? page.address.offset : 0;
    if (last?.offset !== offset) last = { offset, bytes: await readBySecond(file, page) };
    return last.bytes;
  };
  return {
    page: (entry) => pageOf(archive, entry, isOpen),
    head: (page, wanted) => {
      if (!needsSecondReader(page)) return archive.head(page, wanted);
      return unpack(page).then((bytes) => ({ address: page.address, bytes, isWhole: true }));
    },
    whole: (page) => (needsSecondReader(page) ? unpack(page) : archive.whole(page)),
    read: async (entry, maxBytes) => {
      const page = pageOf(archive, entry, isOpen);
      if (!needsSecondReader(page)) return archive.read(entry, maxBytes);
      if (page.fault !== 'none' || Math.max(page.size, page.packedSize) > maxBytes) return null;
      return readBySecond(file, page).catch((thrown: unknown) => {
        if (thrown instanceof AppError && thrown.kind === 'CorruptPage') return null;
        throw thrown;
      });
    },
  };
};
