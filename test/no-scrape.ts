// For servers in tests that nobody measures.
import type { Scrape } from '../http/surface/exposition.js';

export const NO_SCRAPE: Scrape = () => Promise.reject(new Error('nobody measures this server'));
