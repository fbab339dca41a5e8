// What axe-core finds on the page that is shown.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, with the elements. */
export const complaintsOfAxe = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(AXE);
  return (await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`,
  )) as string[];
};
