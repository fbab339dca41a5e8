// Counts down how much of a book may still be read or kept.

/** A small file can name a lot: each short reference may resolve to a path of 65,535 characters. */
export interface Allowance {
  left: number;
}

/** False from the first amount that exceeds what is left. */
export const spend = (allowance: Allowance, amount: number): boolean => {
  allowance.left -= amount;
  return allowance.left >= 0;
};

export const isSpent = ({ left }: Allowance): boolean => left < 0;
