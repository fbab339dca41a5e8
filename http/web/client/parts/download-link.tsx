// The link that downloads the file of a book, for those who may read files.
import { useRef } from 'preact/hooks';
import { t } from '../messages/messages.js';
import type { Book } from '../state/api.js';
import { serverUrl } from '../state/server-url.js';
import { may, renewOrAsk } from '../state/session.js';
import { Icon } from './icon.js';

interface Props {
  readonly book: Pick<Book, 'id' | 'deleted'>;
  /** Whether it is what one most likely wants. */
  readonly isPrimary?: boolean;
}

export const DownloadLink = ({ book: { id, deleted }, isPrimary = false }: Props) => {
  const isRenewed = useRef(false);
  if (deleted || !may('BooksRead')) return null;
  // The browser downloads by itself: with a session that has expired, it would save a refusal in place of the book.
  const renewFirst = (event: MouseEvent & { readonly currentTarget: HTMLAnchorElement }): void => {
    const link = event.currentTarget;
    if (isRenewed.current) {
      isRenewed.current = false;
      return;
    }
    event.preventDefault();
    const download = (): void => {
      isRenewed.current = true;
      link.click();
    };
    renewOrAsk().then(download, download);
  };
  return (
    <a
      class={isPrimary ? 'button primary' : 'button'}
      href={serverUrl(`/api/v1/books/${encodeURIComponent(id)}/file`)}
      download=""
      onClick={renewFirst}
    >
      <Icon name="download" />
      {t.book.download}
    </a>
  );
};
