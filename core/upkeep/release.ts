// The version of the program, as released.
import { readFileSync } from 'node:fs';

export const releaseText = (): string => {
  const found: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown';
};
