// How the comic-server API refuses: the five fields that its clients decode, and ours.
import type { ErrorView } from '../../surface/surface.js';
import { moment } from './text.js';

export const failureView: ErrorView = ({ status, word, message, details }, { path, now }) => ({
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ timestamp: moment(now()), status, error: word, message, path, details }),
});
