// The token after the `#` of a link in a mail. It lets somebody in, so it is removed from the address and from the browser's history.
import { useEffect, useState } from 'preact/hooks';

const takeToken = (): string | null => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token === '' ? null : token;
};

/** Null without one. A link pasted into the same tab changes only the part after `#`, so the page is not loaded again. */
export const useLinkToken = (): string | null => {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    const follow = (): void => {
      if (location.hash !== '') setToken(takeToken());
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return token;
};
