// Starts the client: language and look, who is signed in, and the screen of the address.
import { render } from 'preact';
import { App } from './app.js';
import { loadMessages } from './messages/messages.js';
import { applyTheme } from './state/appearance.js';
import { askAhead } from './state/home-shelves.js';
import { followLinks, screen } from './state/router.js';
import { findSession, session } from './state/session.js';

const PATIENCE_MS = 400;

/** Asks who is signed in, and for what the start page shows. Errors are left to the screens, which ask again. */
const prefetch = async (): Promise<void> => {
  await findSession().catch(() => undefined);
  if (session.value.kind === 'user' && screen.value.name === 'home') await askAhead(PATIENCE_MS);
};

/** Not awaited here: modules that are loaded meanwhile import this one, and would wait for it as it for them. */
const start = async (): Promise<void> => {
  applyTheme();
  followLinks();
  await Promise.all([loadMessages(), prefetch()]);
  render(<App />, document.body);
  // Links in the page are relative to its first address, and the browser looks for the icon again at each later one.
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) link.href = new URL(link.href).href;
};

void start();
