// Paths as reader apps are shown them: only administrators are told where a library lies on the server. For everybody else, its name stands in
// for its root. Pure.
import type { Viewer } from '../model/viewer.js';

interface Rooted {
  readonly name: string;
  readonly root: string;
}

export const rootShown = ({ administers }: Viewer, { name, root }: Rooted): string => (administers ? root : `/${name}`);

/** `path` is relative to the root, without a slash before it. */
export const pathShown = (viewer: Viewer, library: Rooted, path: string): string =>
  `${rootShown(viewer, library)}/${path}`;
