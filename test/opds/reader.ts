// A reader app of OPDS 1.2 in the tests: asks for feeds and follows addresses.
import { assert } from '../kit.js';
import { HOST, type OpdsShelf } from './shelf.js';
import { type FeedElement, feedIn } from './xml.js';

/** The path of an address, which has to be an absolute one of this server. */
export const local = (href: string): string => {
  assert.ok(href.startsWith(`http://${HOST}/`), `${href} is an absolute address of this server`);
  return href.slice(`http://${HOST}`.length);
};

export const feedFrom = async (shelf: OpdsShelf, path: string): Promise<FeedElement> => {
  const answer = await shelf.get(path);
  assert.is(answer.status, 200, `${path}: ${answer.bytes.toString().slice(0, 300)}`);
  const feed = feedIn(answer.bytes.toString());
  const kind = feed.links.find(({ rel }) => rel === 'self')?.type;
  assert.is(answer.header('content-type'), `${kind};charset=utf-8`, path);
  return feed;
};
