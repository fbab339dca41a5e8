// The published JSON schemas in fixtures/schemas, and how a document differs from one of them. The only importer of ajv.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { fixture } from '../fixtures/index.js';

export const WEB_PUBLICATION = 'https://readium.org/webpub-manifest/schema/publication.schema.json';

interface Schema {
  readonly $id: string;
}

/** What catalogues add to the properties of links; manifests have none of it. */
const OF_CATALOGUES: Schema = { $id: 'https://drafts.opds.io/schema/properties.schema.json' };

const published = (): readonly Schema[] => {
  const folder = fixture('schemas');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name): Schema => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return found.some(({ $id }) => $id === OF_CATALOGUES.$id) ? found : [...found, OF_CATALOGUES];
};

let ajv: Ajv | undefined;

const compiled = (id: string): ValidateFunction => {
  if (ajv === undefined) {
    ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    for (const schema of published()) ajv.addSchema(schema);
  }
  const found = ajv.getSchema(id);
  if (found === undefined) throw new Error(`there is no schema ${id}`);
  return found as ValidateFunction;
};

/** Each difference as a sentence; none for a valid document. */
export const differencesFrom = (id: string, document: unknown): readonly string[] => {
  const validate = compiled(id);
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};
