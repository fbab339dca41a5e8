// The whole screen, where the browser allows it, and a screen that stays awake while somebody reads.
import { signal } from '@preact/signals';

export const canFullscreen = document.fullscreenEnabled === true;
export const isFullscreen = signal(document.fullscreenElement !== null);

document.addEventListener('fullscreenchange', () => {
  isFullscreen.value = document.fullscreenElement !== null;
});

/** A browser may refuse: then nothing changes, which one sees. */
const refused = (): undefined => undefined;

export const toggleFullscreen = (): void => {
  if (!canFullscreen) return;
  if (isFullscreen.value) document.exitFullscreen().catch(refused);
  else document.documentElement.requestFullscreen({ navigationUI: 'hide' }).catch(refused);
};

/** Keeps the screen awake until told otherwise; a browser lets it sleep whenever the page is hidden. */
export const stayAwake = (): (() => void) => {
  if (!('wakeLock' in navigator)) return () => undefined;
  let lock: WakeLockSentinel | undefined;
  let isWanted = true;
  const ask = (): void => {
    if (!isWanted || document.visibilityState !== 'visible') return;
    navigator.wakeLock.request('screen').then((granted) => {
      lock = granted;
      if (!isWanted) void granted.release();
    }, refused);
  };
  document.addEventListener('visibilitychange', ask);
  ask();
  return () => {
    isWanted = false;
    document.removeEventListener('visibilitychange', ask);
    void lock?.release();
  };
};
