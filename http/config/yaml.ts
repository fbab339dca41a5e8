// YAML as text and as values: the only importer of yaml.
import { LineCounter, parseDocument, stringify } from 'yaml';

export { LineCounter, parseDocument };

export const toYaml = (value: unknown): string => stringify(value);
