// Alternate titles of a series: listing, adding, changing and removing them.
import Type from 'typebox';
import {
  addTitle,
  alternateTitles,
  changeTitle,
  LABEL_MAX,
  removeTitle,
  TITLE_MAX,
  TITLES_MAX,
} from '../../../core/catalog/alternate-titles.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { AlternateTitle, AlternateTitles } from '../schemas/series.js';
import { alternateTitleView } from '../views/series.js';

const textOf = (most: number) =>
  Type.String({ maxLength: most, pattern: '\\S', expected: `text of 1 to ${most} characters` });

const label = textOf(LABEL_MAX);
const title = textOf(TITLE_MAX);
const oneOf = Type.Object({ id: uuid, title_id: uuid });

export const ALTERNATE_TITLE_ROUTES: readonly Route[] = [
  route({
    id: 'series.titles.list',
    method: 'GET',
    path: '/series/{id}/alternate-titles',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    reply: ok(AlternateTitles),
    about: 'The alternate titles of a series in the order they were added, as {"titles": [...]}.',
    run: async ({ app, viewer }, { params }) =>
      json(200, { titles: (await alternateTitles(app.db, viewer, params.id)).map(alternateTitleView) }),
  }),
  route({
    id: 'series.titles.add',
    method: 'POST',
    path: '/series/{id}/alternate-titles',
    access: 'SeriesWrite',
    params: byId,
    body: Type.Object({ label, title }),
    example: { label: 'Japanese', title: 'Kohaku no minato' },
    reply: made(AlternateTitle),
    about: `Adds an alternate title, by which searches find the series, and locks the list; at most ${TITLES_MAX}.`,
    run: async ({ app, viewer }, { params, body }) =>
      json(201, alternateTitleView(await addTitle(app.db, app.clock, viewer, params.id, body))),
  }),
  route({
    id: 'series.titles.patch',
    method: 'PATCH',
    path: '/series/{id}/alternate-titles/{title_id}',
    access: 'SeriesWrite',
    params: oneOf,
    body: Type.Object({ label: Type.Optional(label), title: Type.Optional(title) }),
    example: { title: 'Kohaku no minato' },
    reply: ok(AlternateTitle),
    about: 'Changes an alternate title and locks the list; an absent field stays unchanged.',
    run: async ({ app, viewer }, { params, body }) =>
      json(200, alternateTitleView(await changeTitle(app.db, app.clock, viewer, params.id, params.title_id, body))),
  }),
  route({
    id: 'series.titles.remove',
    method: 'DELETE',
    path: '/series/{id}/alternate-titles/{title_id}',
    access: 'SeriesWrite',
    params: oneOf,
    reply: EMPTY,
    about: 'Removes an alternate title and locks the list.',
    run: async ({ app, viewer }, { params }) => {
      await removeTitle(app.db, app.clock, viewer, params.id, params.title_id);
      return noContent();
    },
  }),
];
