// The last resort: an unhandled rejection or exception is a bug, and is logged instead of ending the process. Pending answers have their
// own deadlines. Only for a server that has started: before that, an error ends the start.

/** The text of the log line; tests look for it. */
export const STRAY_FAULT = 'an unhandled error';

/** Returns a function that removes the handlers again. */
export const catchStrayFaults = (onStray: (thrown: unknown) => void): (() => void) => {
  process.on('unhandledRejection', onStray);
  process.on('uncaughtException', onStray);
  return () => {
    process.off('unhandledRejection', onStray);
    process.off('uncaughtException', onStray);
  };
};
