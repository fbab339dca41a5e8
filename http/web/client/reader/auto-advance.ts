// Auto-advance: turns pages or scrolls a strip until the end of the last page, or until it is stopped. Pauses while the menu or a panel
// is open.
import { r } from '../messages/reader-messages.js';
import { run } from './actions.js';
import type { Reading } from './reading.js';

/** A tab that was asleep does not catch up. */
const FRAME_MAX_MS = 100;

const stop = (reading: Reading): void => {
  reading.isAutoAdvancing.value = false;
  reading.note.value = r.note.stopped;
};

const turnPages = (reading: Reading, seconds: number): (() => void) => {
  const timer = setInterval(() => {
    if (reading.where.value !== 'pages' || reading.view.current?.isAtEnd() === true) stop(reading);
    else if (document.visibilityState === 'visible') run(reading, 'next');
  }, seconds * 1000);
  return () => clearInterval(timer);
};

const moveStrip = (reading: Reading, speed: number): (() => void) => {
  let frame = 0;
  let lastMs = performance.now();
  /** Browsers scroll by whole pixels of the device; what is less is kept. */
  let left = 0;
  const move = (nowMs: number): void => {
    left += (Math.min(FRAME_MAX_MS, nowMs - lastMs) / 1000) * speed;
    lastMs = nowMs;
    const pixels = Math.trunc(left);
    if (pixels > 0) {
      left -= pixels;
      if (reading.view.current?.glide(pixels) !== true) {
        stop(reading);
        return;
      }
    }
    frame = requestAnimationFrame(move);
  };
  frame = requestAnimationFrame(move);
  return () => cancelAnimationFrame(frame);
};

/** Returns how to stop. Reading the signals here makes an effect begin anew when a speed changes. */
export const autoAdvance = (reading: Reading): (() => void) | undefined => {
  if (!reading.isAutoAdvancing.value) return undefined;
  if (reading.isMenuShown.value || reading.panel.value !== null) return undefined;
  const { autoSeconds, autoSpeed } = reading.stored.all.value;
  return reading.layout.value.mode.startsWith('strip')
    ? moveStrip(reading, autoSpeed)
    : turnPages(reading, autoSeconds);
};
