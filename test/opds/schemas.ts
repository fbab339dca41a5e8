// The published JSON schemas of OPDS 2.0 and of Readium manifests, as validators.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { fixture } from '../../fixtures/index.js';

const schemasIn = (folder: string): object[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return schemasIn(path);
    return path.endsWith('.json') ? [JSON.parse(readFileSync(path, 'utf8')) as object] : [];
  });

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
for (const folder of ['opds2', 'readium']) ajv.addSchema(schemasIn(fixture(`schemas/${folder}`)));

const NAMES = { feed: 'feed', publication: 'publication', authentication: 'authentication' } as const;

const validators = new Map<string, ValidateFunction>();

const validatorOf = (name: keyof typeof NAMES): ValidateFunction => {
  const known = validators.get(name) ?? ajv.getSchema(`https://drafts.opds.io/schema/${NAMES[name]}.schema.json`);
  if (known === undefined) throw new Error(`no schema ${name}`);
  validators.set(name, known);
  return known;
};

/** What is wrong with a document; empty when nothing is. */
export const schemaFaults = (name: keyof typeof NAMES, value: unknown): readonly string[] => {
  const validate = validatorOf(name);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};
