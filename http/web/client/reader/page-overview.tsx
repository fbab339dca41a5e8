// An overview of all pages, to go to one of them: a few sheets of thumbnails, each page a cell of a sheet.
import { useEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { Panel } from './panel.js';
import type { Reading } from './reading.js';
import { cellOf, sheetStyle } from './rules/sheets.js';

export const PageOverview = ({ reading }: { readonly reading: Reading }) => {
  const list = useRef<HTMLOListElement>(null);
  const close = (): void => {
    reading.panel.value = null;
  };
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    current?.scrollIntoView({ block: 'center', behavior: 'instant' });
    current?.focus();
    const images = list.current?.querySelectorAll('img') ?? [];
    return () => {
      // Pictures that are still on their way would delay the page that was chosen.
      for (const image of images) if (!image.complete) image.removeAttribute('src');
    };
  }, []);
  const here = reading.page.peek();
  return (
    <Panel title={r.bar.pages} kind="window" onClose={close}>
      <ol class="page-overview" ref={list} style={{ direction: reading.layout.value.isRtl ? 'rtl' : 'ltr' }}>
        {reading.opened.pages.map((_, page) => (
          <li key={page}>
            <button
              type="button"
              aria-label={r.page.goTo(page + 1)}
              aria-current={page === here ? 'page' : undefined}
              onClick={() => {
                reading.isMenuShown.value = false;
                close();
                reading.view.current?.goTo(page);
              }}
            >
              <span class="thumb">
                <img
                  src={reading.sheetUrl(cellOf(page).sheet)}
                  style={sheetStyle(cellOf(page))}
                  alt=""
                  loading="lazy"
                  fetchpriority="low"
                  decoding="async"
                  draggable={false}
                />
              </span>
              <span aria-hidden="true">{page + 1}</span>
            </button>
          </li>
        ))}
      </ol>
    </Panel>
  );
};
