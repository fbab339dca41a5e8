// An overview of all pages, to go to one of them: a few sheets of thumbnails, each page a cell of a sheet, and a field for its number.
import { useEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { NumberForm } from '../parts/number-form.js';
import { pageTyped } from '../parts/page-typed.js';
import { PageThumb, stopLoading } from './page-thumb.js';
import { Panel } from './panel.js';
import type { Reading } from './reading.js';

export const PageOverview = ({ reading }: { readonly reading: Reading }) => {
  const list = useRef<HTMLOListElement>(null);
  const close = (): void => {
    reading.panel.value = null;
  };
  const go = (page: number): void => {
    reading.isMenuShown.value = false;
    close();
    reading.view.current?.goTo(page);
  };
  useEffect(() => {
    const { current: all } = list;
    const current = all?.querySelector<HTMLElement>('[aria-current]');
    current?.scrollIntoView({ block: 'center', behavior: 'instant' });
    current?.focus();
    return () => stopLoading(all);
  }, []);
  const here = reading.page.peek();
  return (
    <Panel title={r.bar.pages} kind="window" onClose={close}>
      <NumberForm
        class="page-jump"
        label={r.page.jump(reading.opened.pages.length)}
        action={r.page.go}
        parse={(text) => pageTyped(text, reading.opened.pages.length)}
        onNumber={go}
      />
      <ol class="page-overview" ref={list} style={{ direction: reading.layout.value.isRtl ? 'rtl' : 'ltr' }}>
        {reading.opened.pages.map((_, page) => (
          <li key={page}>
            <button
              type="button"
              aria-label={r.page.goTo(page + 1)}
              aria-current={page === here ? 'page' : undefined}
              onClick={() => go(page)}
            >
              <PageThumb reading={reading} page={page} isLazy />
              <span aria-hidden="true">{page + 1}</span>
            </button>
          </li>
        ))}
      </ol>
    </Panel>
  );
};
