// Script and style of the pages that links in mails lead to. Messages from the server are inserted as text, never as HTML.

export const SCRIPT = `'use strict';
const form = document.querySelector('form');
const button = document.querySelector('button');
const said = document.querySelector('[role=status]');
const token = new URLSearchParams(location.hash.slice(1)).get('token');
// Removed from the address, to keep it out of the history too.
history.replaceState(null, '', location.pathname);
if (token) button.disabled = false;
else said.textContent = 'This link is incomplete. Open it exactly as it appears in the mail.';
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  said.textContent = '';
  try {
    const body = JSON.stringify({ ...Object.fromEntries(new FormData(form)), token });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(form.dataset.action, { method: 'POST', headers, body, credentials: 'same-origin' });
    const { message } = await response.json();
    said.textContent = message;
    if (response.ok) form.hidden = true;
    else button.disabled = false;
  } catch {
    said.textContent = 'The server cannot be reached. Try again in a moment.';
    button.disabled = false;
  }
});
`;

export const STYLE = `body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; color-scheme: light dark }
main { max-width: 32rem; margin: 10vh auto; padding: 0 1rem }
label, input { display: block; width: 100%; box-sizing: border-box }
input, button { font: inherit; padding: .5rem .75rem; margin: .25rem 0 1rem }
`;
