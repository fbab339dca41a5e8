// The OpenSearch description of a catalogue: where apps send what their users type.
import type { Reply } from '../../server/adapter.js';
import { ATOM_FEED, OPENSEARCH } from '../media-types.js';
import type { Place } from '../place.js';
import { atomReply } from './feed.js';
import { documentOf, element, said } from './xml.js';

/** The longest that OpenSearch 1.1 allows. */
const SHORT_NAME_MAX = 16;

export const searchDescription = ({ root }: Place, name: string): Reply =>
  atomReply(
    OPENSEARCH,
    documentOf(
      element(
        'OpenSearchDescription',
        { xmlns: 'http://a9.com/-/spec/opensearch/1.1/' },
        said('ShortName', name.slice(0, SHORT_NAME_MAX)),
        said('Description', `Search the series and books of ${name}`),
        said('InputEncoding', 'UTF-8'),
        said('OutputEncoding', 'UTF-8'),
        element('Url', { type: ATOM_FEED.acquisition, template: `${root}/search?q={searchTerms}` }),
      ),
    ),
  );
