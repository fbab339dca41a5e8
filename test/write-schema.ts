// Writes config.schema.json: `npm run build && node dist/test/write-schema.js`, after a change to the table of settings.
import { writeFileSync } from 'node:fs';
import { schemaText } from '../http/config/config-schema.js';

writeFileSync(new URL('../../config.schema.json', import.meta.url), schemaText());
