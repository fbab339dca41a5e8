// The screens on which people look around, as one module: they share nearly everything, and a browser has only six requests to a server at
// a time, which are few enough for a page, its style, its session, its data and two scripts.
export { DiscardDialog } from '../parts/dialog.js';
export { BookScreen } from './book.js';
export { Browse } from './browse.js';
export { Libraries } from './libraries.js';
export { LibraryScreen } from './library.js';
export { CollectionScreen, ReadListScreen } from './named-list.js';
export { Collections, ReadLists } from './named-lists.js';
export { NewLibrary } from './new-library.js';
export { Search } from './search.js';
export { SeriesScreen } from './series.js';
export { Unreadable } from './unreadable.js';
export { WantedScreen } from './wanted.js';
