// The cover of a book without a picture: its title and its author on a plain card.
import type { CardInput } from '../../core/model/jobs.js';
import { defineJob } from '../step.js';
import { drawTitleCard } from '../steps/card.js';

export const card = defineJob({
  name: 'card',
  starts: ['card'],
  start: (input: CardInput) => ({ card: input }),
  steps: [drawTitleCard],
  finish: ({ image }) => image,
});
