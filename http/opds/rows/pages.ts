// Pages of books, one by one: OPDS-PSE 1.2. A page that an app fetches is a sign of how far its reader has come.
import Type from 'typebox';
import type { Content } from '../../../core/pages/content.js';
import type { PageWish } from '../../../core/pages/form.js';
import type { Reply } from '../../server/adapter.js';
import { readerOf } from '../../surface/device.js';
import { BOOK_FAULTS } from '../../surface/failures.js';
import { IMAGE } from '../../surface/replies.js';
import { contentReply } from '../../surface/reply.js';
import { ask } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { uuid } from '../../surface/schemas.js';

/** Larger sizes are sent at this size, which is good enough. */
const SIDE_MAX = 6000;

/** Apps that know OPDS-PSE 1.0 leave the template `{maxWidth}` as it is: a width that is none does not count. */
const widthOf = (text: string | undefined): number | undefined => {
  const width = text === undefined || !/^\d{1,9}$/.test(text) ? 0 : Number(text);
  return width === 0 ? undefined : Math.min(width, SIDE_MAX);
};

const pageParams = Type.Object({ id: uuid, page_number: Type.Integer({ expected: 'a page number' }) });

const pageQuery = Type.Object({
  zero_based: Type.Optional(
    Type.Boolean({ description: 'Whether the first page is 0, as in OPDS-PSE; otherwise it is 1.' }),
  ),
  width: Type.Optional(
    Type.String({ maxLength: 100, description: 'The largest useful width in pixels; images are never enlarged.' }),
  ),
});

export interface PageRowsOptions {
  readonly name: string;
  readonly recordsProgress: boolean;
}

export const pageRows = ({ name, recordsProgress }: PageRowsOptions): readonly Route[] => [
  route({
    id: `${name}.page`,
    method: 'GET',
    path: '/books/{id}/pages/{page_number}',
    access: 'PagesRead',
    params: pageParams,
    query: pageQuery,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...BOOK_FAULTS],
    about: 'One page as JPEG, PNG or GIF. Advances the progress of the caller, unless that is switched off.',
    run: (ctx, { params, query }) => {
      const pageNumber = query.zero_based === true ? params.page_number + 1 : params.page_number;
      const wish: PageWish = { width: widthOf(query.width), isPlain: true };
      const bookId = params.id;
      const askedAt = ctx.app.clock.elapsed();
      // A page that the app already has (304) counts as fetched at once; one that is sent from a file, only once it has been sent.
      const onSent = (): void =>
        ctx.app.streamedReading.note({ reader: readerOf(ctx), bookId, page: pageNumber, askedAt });
      const options = recordsProgress && ctx.request.method === 'GET' ? { onSent } : {};
      const content = ctx.app.pages.page({ viewer: ctx.viewer, bookId, pageNumber, wish, ...ask(ctx.request) });
      const send = (ready: Content): Reply => contentReply(ready, ctx.request, options);
      return content instanceof Promise ? content.then(send) : send(content);
    },
  }),
];
