// All libraries: how much is in them, their scans, and the ways to add, change and delete one.

import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { dateText, t } from '../messages/messages.js';
import { ErrorMessage } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Icon } from '../parts/icon.js';
import { LibraryDialog } from '../parts/library-dialog.js';
import { isActive, ScanLine } from '../parts/scan-line.js';
import { useTitle } from '../parts/title.js';
import { type Library, librariesScan, librariesScanCancel, type ScanEvent } from '../state/api.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { allLibraries } from '../state/lists.js';
import { linkTo } from '../state/router.js';
import { may, mayAdminister, session } from '../state/session.js';
import { useSoon, useStream } from '../state/streams.js';

const AGAIN_MS = 1500;

interface RowProps {
  readonly library: Library;
  readonly scan: ScanEvent | null;
  /** May scan, change and delete it. */
  readonly mayChange: boolean;
  readonly onChange: () => void;
}

const Row = ({ library, scan, mayChange, onChange }: RowProps) => {
  const isOpen = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const run = (work: () => Promise<unknown>): void => {
    error.value = null;
    work().catch((thrown: unknown) => {
      error.value = explain(thrown, statusOf(thrown) === 409 ? { text: b.library.isScanned } : {});
    });
  };
  const { id, name, seriesCount, bookCount, lastScannedAt, scanningConfig } = library;
  return (
    <li class="library">
      <a class="library-link" href={linkTo('library', id)}>
        <span class="library-name">{name}</span>
        <span class="dim">
          {t.library.contents(seriesCount, bookCount)}
          {lastScannedAt !== null && ` · ${t.library.scanned(dateText(lastScannedAt))}`}
          {scanningConfig.enabled && scanningConfig.watchFolders && ` · ${b.library.watched}`}
        </span>
      </a>
      {mayChange && (
        <div class="library-buttons">
          {isActive(scan) ? (
            <button type="button" class="button" onClick={() => run(() => librariesScanCancel({ id }))}>
              {t.scan.stop}
              <span class="visually-hidden"> {name}</span>
            </button>
          ) : (
            <button type="button" class="button" onClick={() => run(() => librariesScan({ id }))}>
              {t.scan.start}
              <span class="visually-hidden"> {name}</span>
            </button>
          )}
          <button
            type="button"
            class="button round"
            aria-label={b.library.manage(name)}
            onClick={() => {
              isOpen.value = true;
            }}
          >
            <Icon name="settings" />
          </button>
        </div>
      )}
      {isOpen.value && (
        <LibraryDialog
          library={library}
          onDone={onChange}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
      <ScanLine scan={scan} />
      <ErrorMessage of={error.value} />
    </li>
  );
};

export const Libraries = () => {
  useTitle(t.app.libraries);
  const libraries = useFetched((signal) => allLibraries({ signal }), []);
  const scans = useSignal<ReadonlyMap<string, ScanEvent>>(new Map());
  const refresh = useSoon(libraries.again, AGAIN_MS);
  useStream('scans', (told) => {
    if (told !== null) scans.value = new Map(scans.value).set(told.libraryId, told);
    refresh();
  });
  const me = session.value.kind === 'user' ? session.value.me : null;
  return (
    <>
      <div class="head">
        <h1>{t.app.libraries}</h1>
        {me !== null && mayAdminister(me) && (
          <a class="button" href={linkTo('newLibrary')}>
            <Icon name="plus" />
            {t.home.addLibrary}
          </a>
        )}
      </div>
      <Loaded of={libraries}>
        {(found) =>
          found.length === 0 ? (
            <p class="nothing">{t.library.none}</p>
          ) : (
            <>
              <ul class="libraries">
                {found.map((library) => (
                  <Row
                    key={library.id}
                    library={library}
                    scan={scans.value.get(library.id) ?? null}
                    mayChange={may('LibrariesWrite')}
                    onChange={libraries.again}
                  />
                ))}
              </ul>
              {found.length > 1 && (
                <a class="text-link" href={linkTo('browse')}>
                  {t.series.allTogether}
                </a>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
};
