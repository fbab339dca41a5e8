// The messages of lists, filters, several selected at once, and editing: what is loaded with the first screen that needs them.
import { language } from '../state/appearance.js';
import { type BrowseMessages, browseEn } from './browse-en.js';

export const b: BrowseMessages = language === 'de' ? (await import('./browse-de.js')).browseDe : browseEn;
