// Feeds read by libraries that are not ours.
import opds from 'opds-feed-parser';
import { Feed as AtomFeed } from 'opds-ts/v1.2';
import { assert, block } from '../kit.js';
import { type OpdsShelf, opdsShelf, VOLUMES } from './shelf.js';

let shelf: OpdsShelf;

const textAt = async (path: string): Promise<string> => (await shelf.get(path)).bytes.toString();

/** A CommonJS package: its class is below the object that Node calls its default. */
const { default: Parser, AcquisitionFeed, NavigationFeed } = opds;

block(
  'feeds and libraries that read them',
  (check) => {
    check('opds-feed-parser tells feeds that lead on from those with files', async () => {
      const start = await new Parser().parse(await textAt('/opds/v1.2/catalog'));
      const series = await new Parser().parse(await textAt(`/opds/v1.2/series/${shelf.series.get('Zot')}`));
      assert.ok(start instanceof NavigationFeed);
      assert.ok(series instanceof AcquisitionFeed);
      assert.is(series.entries.length, VOLUMES);
    });
    check('opds-ts reads entries with their links', async () => {
      const feed = AtomFeed.fromXml(await textAt(`/opds/v1.2/series/${shelf.series.get('Zot')}`));
      assert.is(feed.getEntries().length, VOLUMES);
    });
  },
  {
    before: async () => {
      shelf = await opdsShelf();
    },
    after: () => shelf.temp.close(),
  },
);
