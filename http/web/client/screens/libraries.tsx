// All libraries: how much is in them, their scans, and the ways to add, change and delete one.

import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { t, timeText } from '../messages/messages.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Icon } from '../parts/icon.js';
import { LibraryDialog } from '../parts/library-dialog.js';
import { NamingOffer } from '../parts/naming-offer.js';
import { ScanButton, ScanOutcome } from '../parts/scan-button.js';
import { isActive, ScanLine } from '../parts/scan-line.js';
import { useTitle } from '../parts/title.js';
import { UnreadableLink } from '../parts/unreadable-link.js';
import type { Library, ScanEvent } from '../state/api.js';
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
  /** Whether the way of naming is what it was opened for. */
  const isOffered = useSignal(false);
  const { id, name, seriesCount, bookCount, lastScannedAt, scanningConfig } = library;
  return (
    <li class="library">
      <a class="library-link" href={linkTo('library', id)}>
        <span class="library-name">{name}</span>
        <span class="dim">
          {t.library.contents(seriesCount, bookCount)}
          {lastScannedAt !== null && ` · ${t.library.scanned(timeText(lastScannedAt))}`}
          {scanningConfig.enabled && scanningConfig.watchFolders && ` · ${b.library.watched}`}
        </span>
      </a>
      {mayChange && (
        <div class="library-buttons">
          <ScanButton library={library} scan={scan} />
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
      <UnreadableLink library={library} />
      {mayChange && !isActive(scan) && (
        <NamingOffer
          library={library}
          onShow={() => {
            isOffered.value = true;
            isOpen.value = true;
          }}
        />
      )}
      {isOpen.value && (
        <LibraryDialog
          library={library}
          {...(isOffered.value ? { naming: 'metadata' as const } : {})}
          onDone={onChange}
          onClose={() => {
            isOpen.value = false;
            isOffered.value = false;
          }}
        />
      )}
      <ScanLine scan={scan} />
      <ScanOutcome library={library} scan={scan} />
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
