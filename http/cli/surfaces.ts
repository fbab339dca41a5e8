// The surfaces of this server: what it serves, and what of it is described.
import { API, ROOT } from '../api/surface.js';
import { COMICS_PREFIX, comicsAt } from '../comics/surface.js';
import type { Config } from '../config/config.js';
import { toOpenApi } from '../docs/openapi.js';
import { docsSurface } from '../docs/surface.js';
import { OPDS_PATH, OPDS2_PATH, opdsSurfaces } from '../opds/surfaces.js';
import { PAGES } from '../pages/surface.js';
import type { AppAddress } from '../surface/route.js';
import type { Surface } from '../surface/surface.js';
import { SYNC_PATH, syncSurface } from '../sync/surface.js';
import { webSurfaces } from '../web/surface.js';

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

/** The catalogues and e-reader sync, below a path. */
const cataloguesAt = ({ koreaderApi, opds }: Config, below: string): readonly Surface[] => [
  ...(opds.enabled ? opdsSurfaces({ recordsProgress: opds.recordProgress }, below) : []),
  ...(koreaderApi.enabled ? [syncSurface(koreaderApi, below)] : []),
];

/**
 * What the comic server serves, below a prefix or at the root of a port: apps that know its address append those of its catalogues and of
 * its sync to it.
 */
export const comicServerAt = (config: Config, prefix: string): readonly Surface[] => [
  comicsAt(prefix),
  ...cataloguesAt(config, prefix),
];

/** What the settings switch on. */
export const surfacesFor = (config: Config, version: string): readonly Surface[] => {
  const { api, komgaApi, web } = config;
  const { root, client } = web.enabled ? webSurfaces(ROOT) : { root: ROOT, client: [PAGES] };
  return [
    API,
    root,
    ...client,
    ...(komgaApi.enabled ? comicServerAt(config, `/${komgaApi.prefix}`) : []),
    ...cataloguesAt(config, ''),
    ...(api.enableApiDocs ? [docsAt(api.apiDocsPath, version)] : []),
  ];
};

/** Where apps find what is switched on. */
export const appAddressesOf = ({ komgaApi, koreaderApi, opds }: Config): readonly AppAddress[] => [
  ...(opds.enabled ? [{ kind: 'opds', path: OPDS_PATH, port: null } as const] : []),
  ...(komgaApi.enabled ? [{ kind: 'comics', path: `/${komgaApi.prefix}`, port: komgaApi.port || null } as const] : []),
  ...(koreaderApi.enabled ? [{ kind: 'sync', path: SYNC_PATH, port: null } as const] : []),
  ...(opds.enabled ? [{ kind: 'opds2', path: OPDS2_PATH, port: null } as const] : []),
];

/** All of them, with the documentation at a path. */
export const servedWithDocs = (docsPath: string, version: string): readonly Surface[] => [
  ...SERVED,
  ...webSurfaces(ROOT).client,
  docsAt(docsPath, version),
];
