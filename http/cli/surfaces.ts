// The surfaces of this server: what it serves, and what of it is described.
import { API, ROOT } from '../api/surface.js';
import type { Config } from '../config/config.js';
import { toOpenApi } from '../docs/openapi.js';
import { docsSurface } from '../docs/surface.js';
import { PAGES } from '../pages/surface.js';
import type { Surface } from '../surface/surface.js';

export const DESCRIBED: readonly Surface[] = [API, ROOT];

/** The pages are not described: no program asks for them. */
export const SERVED: readonly Surface[] = [...DESCRIBED, PAGES];

/** What the settings switch on. */
export const surfacesFor = ({ api }: Config, version: string): readonly Surface[] =>
  api.enableApiDocs ? servedWithDocs(api.apiDocsPath, version) : SERVED;

/** Also the documentation, at a path. */
export const servedWithDocs = (docsPath: string, version: string): readonly Surface[] => [
  ...SERVED,
  docsSurface(docsPath, DESCRIBED, toOpenApi(DESCRIBED, version)),
];
