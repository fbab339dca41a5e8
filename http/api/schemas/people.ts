// People, publishers and languages as answers list them, with the number of series that the caller sees.
import Type from 'typebox';
import { AUTHOR_ROLES } from '../../../core/model/metadata.js';
import { record, text, whole, word } from '../../surface/wire.js';
import { pageOf } from './paging.js';

export const Person = record('Person', {
  name: text('Ann Writer'),
  roles: Type.Array(word(AUTHOR_ROLES)),
  seriesCount: whole(7, 'Series where they have one of the roles asked for.'),
});

export const PersonPage = pageOf('PersonPage', Person);

/** A publisher or a language. */
export const FacetValue = record('FacetValue', {
  name: text('Example Press'),
  seriesCount: whole(7),
});

export const FacetPage = pageOf('FacetPage', FacetValue);
