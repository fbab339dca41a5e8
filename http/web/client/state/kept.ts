// What this browser keeps. Storage may be refused: then what is kept holds until the page is left.

const held = new Map<string, string>();

export const kept = (name: string): string | null => {
  try {
    return localStorage.getItem(name) ?? held.get(name) ?? null;
  } catch {
    return held.get(name) ?? null;
  }
};

export const keep = (name: string, value: string): void => {
  held.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // it is held here
  }
};
