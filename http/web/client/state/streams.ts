// Server-sent events while a screen is shown and the window is visible. A browser opens few connections to a server, so a hidden window
// has none; when it becomes visible again, it asks once for what happened in the meantime.
import { useEffect, useRef } from 'preact/hooks';
import type { BookEvent, CoverEvent, LibraryEvent, ReadEvent, ResyncEvent, ScanEvent, SeriesEvent } from './api.js';
import { isAbout } from './changes.js';
import { serverUrl } from './server-url.js';
import { renewOrAsk } from './session.js';

const PATHS = { changes: '/api/v1/events/stream', scans: '/api/v1/scans/stream' } as const;

export type Change = BookEvent | SeriesEvent | LibraryEvent | CoverEvent | ReadEvent | ResyncEvent;
interface Data {
  readonly changes: Change;
  readonly scans: ScanEvent;
}

const AGAIN_MS = 4000;

const parsed = (text: string): { readonly type?: unknown } | null => {
  try {
    return JSON.parse(text) as { type?: unknown };
  } catch {
    return null;
  }
};

/** Opens it, and opens it again when it ends, where `hear` gets null; the function closes it. */
const follow = (path: string, hear: (data: { readonly type?: unknown } | null) => void): (() => void) => {
  let source: EventSource | null = null;
  let timer = 0;
  let wasOpen = false;
  const open = (): void => {
    source = new EventSource(serverUrl(`${path}?unnamed=true`));
    source.onopen = () => {
      if (wasOpen) hear(null);
      wasOpen = true;
    };
    source.onmessage = ({ data }) => {
      const told = parsed(String(data));
      if (told !== null && typeof told.type === 'string') hear(told);
    };
    source.onerror = () => {
      if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      timer = setTimeout(() => void renewOrAsk().then(open, () => undefined), AGAIN_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
};

/** `hear` gets each event while the screen is shown, and null when some may have been missed: the window was hidden, or the network away. */
export const useStream = <K extends keyof Data>(kind: K, hear: (told: Data[K] | null) => void): void => {
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    let close: (() => void) | null = null;
    const begin = (): void => {
      close ??= follow(PATHS[kind], (told) => latest.current(told as Data[K] | null));
    };
    const turn = (): void => {
      if (document.visibilityState === 'hidden') {
        close?.();
        close = null;
      } else if (close === null) {
        begin();
        latest.current(null);
      }
    };
    if (document.visibilityState === 'visible') begin();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      close?.();
    };
  }, [kind]);
};

/** Calls `run` soon, however often it is asked to, and not more often than every `ms`. */
export const useSoon = (run: () => void, ms: number): (() => void) => {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    if (timer.current !== 0) return;
    timer.current = setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, ms);
  };
};

const FRESH_MS = 2500;

/**
 * Reloads after changes to what is shown, and at once when the window regains focus, since lists that somebody makes are told nobody.
 * `shown`: the ids of what is on the screen; null for everything.
 */
export const useFresh = (again: () => void, shown: ReadonlySet<string> | null): void => {
  const soon = useSoon(again, FRESH_MS);
  useStream('changes', (told) => {
    if (told === null) again();
    else if (shown === null || isAbout(told, shown)) soon();
  });
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const returned = (): void => latest.current();
    addEventListener('focus', returned);
    return () => removeEventListener('focus', returned);
  }, []);
};
