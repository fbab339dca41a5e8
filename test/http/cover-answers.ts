// Asks every route about covers, for whoever compares the answers with what clients expect.
import type { Answer } from '../app.js';
import { formOf, image } from '../form.js';

type Ask = (row: string, params: readonly string[], body?: unknown) => Promise<Answer>;

/** `path` is that of all things of the kind, `source` one that may be chosen. */
export const askCovers = async (ask: Ask, path: string, id: string, source: string): Promise<void> => {
  const form = await formOf({ file: image('png-palette-alpha.png') });
  const cover = (await ask(`POST ${path}/{}/cover`, [id], form)).json.id;
  await ask(`GET ${path}/{}/covers`, [id]);
  await ask(`GET ${path}/{}/covers/{}/image`, [id, cover]);
  await ask(`DELETE ${path}/{}/covers/selected`, [id]);
  await ask(`PUT ${path}/{}/covers/{}/select`, [id, cover]);
  await ask(`PATCH ${path}/{}/cover/source`, [id], { source });
  await ask(`DELETE ${path}/{}/covers/{}`, [id, cover]);
};
