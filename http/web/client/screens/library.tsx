// One library as a wall of series; while it is scanned, one sees it fill.
import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { ScanButton, ScanOutcome } from '../parts/scan-button.js';
import { ScanLine } from '../parts/scan-line.js';
import { useTitle } from '../parts/title.js';
import { UnreadableLink } from '../parts/unreadable-link.js';
import { WallBrowser } from '../parts/wall-browser.js';
import { librariesGet, type ScanEvent } from '../state/api.js';
import { may } from '../state/session.js';
import { useSoon, useStream } from '../state/streams.js';

const AGAIN_MS = 2500;

export const LibraryScreen = ({ id }: { readonly id: string }) => {
  const library = useFetched((signal) => librariesGet({ id }, { signal }), [id]);
  const revision = useSignal(0);
  const scan = useSignal<ScanEvent | null>(null);
  const refresh = useSoon(() => {
    revision.value += 1;
    library.again();
  }, AGAIN_MS);
  useStream('scans', (told) => {
    if (told !== null && told.libraryId !== id) return;
    scan.value = told;
    refresh();
  });
  const name = library.state.value.kind === 'done' ? library.state.value.value.name : undefined;
  useTitle(name);
  return (
    <Loaded of={library}>
      {(found) => (
        <>
          <div class="head">
            <h1>{found.name}</h1>
            {may('LibrariesWrite') && (
              <div class="library-buttons">
                <ScanButton library={found} scan={scan.value} />
              </div>
            )}
          </div>
          <UnreadableLink library={found} />
          <ScanLine scan={scan.value} />
          <ScanOutcome library={found} scan={scan.value} />
          <WallBrowser criteria={{ libraryId: id }} revision={revision.value} empty={t.library.empty} />
        </>
      )}
    </Loaded>
  );
};
