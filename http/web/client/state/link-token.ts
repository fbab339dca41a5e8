// What follows the `#` of a link in a mail: it lets somebody in, so it is taken out of the address, and of the history of the browser.

export const takeLinkToken = (): string | null => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token === '' ? null : token;
};
