// Ends several things in order. One that cannot be ended keeps none of the others from their end.

/** Throws what failed first, after the last step; `onFault` is told of what failed besides. */
export const endAll = async (steps: readonly (() => unknown)[], onFault: (thrown: unknown) => void): Promise<void> => {
  const thrown: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (one) {
      thrown.push(one);
    }
  }
  for (const later of thrown.slice(1)) onFault(later);
  if (thrown.length > 0) throw thrown[0];
};
