// The last net: a rejection or an exception that nothing handled is a fault of the program, and is logged instead of ending it. Whatever
// waits for an answer has its own deadline. Only for a server that has started: before that, an error ends the start.

/** The words of the log line; tests look for them. */
export const STRAY_FAULT = 'an unhandled error';

/** Returns what takes the net away again. */
export const catchStrayFaults = (onStray: (thrown: unknown) => void): (() => void) => {
  process.on('unhandledRejection', onStray);
  process.on('uncaughtException', onStray);
  return () => {
    process.off('unhandledRejection', onStray);
    process.off('uncaughtException', onStray);
  };
};
