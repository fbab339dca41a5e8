// The surfaces of this server: what it serves, and what of it is described.
import { API, ROOT } from '../api/surface.js';
import { COMICS_PREFIX, comicsAt } from '../comics/surface.js';
import type { Config } from '../config/config.js';
import { toOpenApi } from '../docs/openapi.js';
import { docsSurface } from '../docs/surface.js';
import { opdsSurfaces } from '../opds/surfaces.js';
import { PAGES } from '../pages/surface.js';
import type { Surface } from '../surface/surface.js';
import { syncSurface } from '../sync/surface.js';
import { webSurface } from '../web/surface.js';

export const DESCRIBED: readonly Surface[] = [API, ROOT];

/** Those for other people's apps, at their usual prefixes. */
const FOR_APPS: readonly Surface[] = [
  comicsAt(COMICS_PREFIX),
  ...opdsSurfaces({ recordsProgress: true }),
  syncSurface({ registration: false }),
];

/** The pages are not described: no program asks for them. Nor are the surfaces for apps: others described them. */
export const SERVED: readonly Surface[] = [...DESCRIBED, PAGES, ...FOR_APPS];

const docsAt = (docsPath: string, version: string): Surface =>
  docsSurface(docsPath, DESCRIBED, toOpenApi(DESCRIBED, version));

/** What the settings switch on. */
export const surfacesFor = ({ api, komgaApi, koreaderApi, opds, web }: Config, version: string): readonly Surface[] => [
  ...DESCRIBED,
  PAGES,
  ...(komgaApi.enabled ? [comicsAt(`/${komgaApi.prefix}`)] : []),
  ...(opds.enabled ? opdsSurfaces({ recordsProgress: opds.recordProgress }) : []),
  ...(koreaderApi.enabled ? [syncSurface(koreaderApi)] : []),
  ...(web.enabled ? [webSurface()] : []),
  ...(api.enableApiDocs ? [docsAt(api.apiDocsPath, version)] : []),
];

/** All of them, with the documentation at a path. */
export const servedWithDocs = (docsPath: string, version: string): readonly Surface[] => [
  ...SERVED,
  webSurface(),
  docsAt(docsPath, version),
];
