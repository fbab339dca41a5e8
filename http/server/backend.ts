// Chooses the network engine: the fastest one that loads and passes its checks, or the one the configuration names.
import { AppError } from '../../core/model/errors.js';
import type { HttpAdapter } from './adapter.js';
import { nodeAdapter } from './node.js';
import { loadUws } from './uws.js';

export const chooseBackend = (wanted: 'auto' | 'uws' | 'node', warn: (sentence: string) => void): HttpAdapter => {
  if (wanted === 'node') return nodeAdapter;
  const loaded = loadUws();
  if (!('reason' in loaded)) return loaded;
  if (wanted === 'uws')
    throw new AppError('BadRequest', `http.backend is uws, but that engine does not load: ${loaded.reason}`);
  warn(`serving with node:http, which is slower: ${loaded.reason}`);
  return nodeAdapter;
};
