// What is stored in this browser. Storage may be refused: then values last until the page is left.

const fallback = new Map<string, string>();

export const loadItem = (name: string): string | null => {
  try {
    return localStorage.getItem(name) ?? fallback.get(name) ?? null;
  } catch {
    return fallback.get(name) ?? null;
  }
};

export const saveItem = (name: string, value: string): void => {
  fallback.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // kept in memory only
  }
};
