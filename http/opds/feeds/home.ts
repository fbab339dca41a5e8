// What every other feed is a part of.
import type { FeedLink } from '../feed.js';

export const UP: FeedLink = { title: 'Home', path: '/catalog', kind: 'navigation' };
