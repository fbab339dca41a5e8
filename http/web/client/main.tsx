// Starts the client: language and look, who is signed in, and the screen of the address.
import { render } from 'preact';
import { App } from './app.js';
import { loadMessages } from './messages/messages.js';
import { recoverFocus } from './parts/lost-focus.js';
import { applyTheme } from './state/appearance.js';
import { followLinks } from './state/router.js';

/** Links of the page are relative to its first address, and the browser looks for the icon again at each further one. */
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) link.href = new URL(link.href).href;

applyTheme();
followLinks();
recoverFocus();
await loadMessages();
render(<App />, document.body);
