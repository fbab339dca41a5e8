// Part of the client only in `npm run dev`: reloads the page when the server has a new build of the client.

const AGAIN_MS = 700;

/** It names the files of a build, so it changes with them. Null while the server starts again. */
const tagOfPage = async (): Promise<string | null> => {
  try {
    const { ok, headers } = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
    return ok ? headers.get('etag') : null;
  } catch {
    return null;
  }
};

const first = tagOfPage();

const look = async (): Promise<void> => {
  const [before, now] = [await first, await tagOfPage()];
  if (before !== null && now !== null && before !== now) location.reload();
  else setTimeout(() => void look(), AGAIN_MS);
};

void look();
