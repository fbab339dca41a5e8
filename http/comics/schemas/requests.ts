// What rows of the comic-server API take in their paths.
import Type from 'typebox';
import { compactId } from '../../surface/schemas.js';

export const byId = Type.Object({ id: compactId });
