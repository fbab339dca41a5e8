// The data of a screen: still loading, loaded, or failed.
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { explain } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { statusOf } from '../state/api-errors.js';
import { linkTo } from '../state/router.js';
import { ErrorDetail } from './error-message.js';

export type Fetched<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly thrown: unknown }
  | { readonly kind: 'done'; readonly value: T };

export interface Fetching<T> {
  readonly state: Signal<Fetched<T>>;
  /** Loads again; what is shown stays until then. */
  readonly again: () => void;
}

interface FetchOptions<T> {
  /**
   * When one of the keys changes, the old value stays until the next answer, whatever that is; or `even on errors`, if the keys only tell that
   * the same thing may have changed.
   */
  readonly keepsOld?: 'until answered' | 'even on errors';
  /** Called when it is first shown: a value that is there already need not be loaded. */
  readonly ready?: () => T | undefined;
}

const TOO_MANY_REQUESTS = 429;

/** No network, or a server that is busy, restarting or behind a proxy that does not reach it. */
const isPassing = (status: number): boolean => status === 0 || status === TOO_MANY_REQUESTS || status >= 500;

/** Loads when it is first shown, and whenever one of `keys` changes. */
export const useFetched = <T,>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  { keepsOld, ready }: FetchOptions<T> = {},
): Fetching<T> => {
  const first = useRef<{ readonly value: T | undefined } | null>(null);
  first.current ??= { value: ready?.() };
  const { value: given } = first.current;
  const state = useSignal<Fetched<T>>(given === undefined ? { kind: 'loading' } : { kind: 'done', value: given });
  const running = useRef<AbortController | null>(null);
  const isStale = useRef(false);
  const start = (): void => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    load(control.signal).then(
      (value) => {
        if (control.signal.aborted) return;
        isStale.current = false;
        state.value = { kind: 'done', value };
      },
      (thrown: unknown) => {
        if (control.signal.aborted) return;
        // What is already shown, and perhaps being edited, is better than an error that passes.
        const staysShown = state.peek().kind === 'done' && !isStale.current && isPassing(statusOf(thrown));
        if (!staysShown) state.value = { kind: 'failed', thrown };
      },
    );
  };
  // Before the next frame, not after it: on a slow device, requests would start noticeably later.
  useLayoutEffect(() => {
    if (first.current?.value !== undefined) {
      first.current = { value: undefined };
      return () => running.current?.abort();
    }
    if (keepsOld === undefined) state.value = { kind: 'loading' };
    isStale.current = keepsOld === 'until answered';
    start();
    return () => running.current?.abort();
  }, keys);
  return { state, again: start };
};

export const NotFound = () => (
  <div class="notice">
    <h1>{t.app.notFound}</h1>
    <p>{t.app.notFoundText}</p>
    <a class="button" href={linkTo('home')}>
      {t.app.toHome}
    </a>
  </div>
);

export const Failure = ({ thrown, again }: { readonly thrown: unknown; readonly again: () => void }) => {
  if (statusOf(thrown) === 404 || statusOf(thrown) === 400) return <NotFound />;
  const { text, detail } = explain(thrown);
  return (
    <div class="notice" role="alert">
      <p>{text}</p>
      <ErrorDetail text={detail} />
      <button type="button" class="button" onClick={again}>
        {t.app.again}
      </button>
    </div>
  );
};

/** The screen once its answer is there. A loading indicator appears only after a moment, since most answers are faster. */
export const Loaded = <T,>({
  of,
  children,
}: {
  readonly of: Fetching<T>;
  readonly children: (value: T) => ComponentChildren;
}) => {
  const state = of.state.value;
  if (state.kind === 'failed') return <Failure thrown={state.thrown} again={of.again} />;
  if (state.kind === 'loading') return <p class="loading" role="status" aria-label={t.app.loading} />;
  return <>{children(state.value)}</>;
};
