// How many editions of one work are found among books that look alike, and how many pairs are found wrongly. Two books per work:
// `node dist/bench/editions.js 250`.
import { withEditions } from '../test/duplicates/edition-search.js';

const works = Number(process.argv[2] ?? 250);

await withEditions(works, async ({ find, judge }) => {
  const begun = performance.now();
  const result = await find();
  const seconds = (performance.now() - begun) / 1000;
  const { found, falsePairs, missed, wrong } = await judge();
  console.log(JSON.stringify({ books: works * 2, works, found, falsePairs, seconds, result, missed, wrong }, null, 1));
});
