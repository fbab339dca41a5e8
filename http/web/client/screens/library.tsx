// One library as a wall of series; while it is scanned, one sees it fill.
import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { ScanLine } from '../parts/scan-line.js';
import { useTitle } from '../parts/title.js';
import { WallBrowser } from '../parts/wall-browser.js';
import { librariesGet, type ScanEvent } from '../state/api.js';
import { useSoon, useStream } from '../state/streams.js';

const AGAIN_MS = 2500;

export const LibraryScreen = ({ id }: { readonly id: string }) => {
  const library = useFetched((signal) => librariesGet({ id }, { signal }), [id]);
  const revision = useSignal(0);
  const scan = useSignal<ScanEvent | null>(null);
  const refresh = useSoon(() => {
    revision.value += 1;
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
      {({ name: title }) => (
        <>
          <h1>{title}</h1>
          <ScanLine scan={scan.value} />
          <WallBrowser criteria={{ libraryId: id }} revision={revision.value} empty={t.library.empty} />
        </>
      )}
    </Loaded>
  );
};
