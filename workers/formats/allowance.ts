// Counts down what may still be read or kept of a book.

/** Small files can name much: a short address stands for a path of 65,535 characters, again and again. */
export interface Allowance {
  left: number;
}

/** False from the first amount on that is more than what is left. */
export const spend = (allowance: Allowance, amount: number): boolean => {
  allowance.left -= amount;
  return allowance.left >= 0;
};

export const isSpent = ({ left }: Allowance): boolean => left < 0;
