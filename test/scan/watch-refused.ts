// A process of its own, which may watch three folders and not the four that its library has. Says how it went as one line of JSON.
import { join } from 'node:path';
import { writeBook } from '../app.js';
import { kernelWatches, withWatchedShelf } from './watched-shelf.js';

await withWatchedShelf(async ({ temp, shows, rests, watched }) => {
  writeBook(join(temp.shelf, 'Ants', 'Ants 2.cbz'), 1, '2');
  await temp.app.watching.list();
  await shows('Ants/Ants 1.cbz', 'Ants/Ants 2.cbz', 'Bees/Old/Bees 1.cbz');
  await rests();
  await temp.app.watching.list();
  console.log(JSON.stringify({ watched: watched(), inKernel: kernelWatches(), warnings: temp.warnings }));
});
