// Requests to every route of sharing tags, grants and access groups, for the test that holds answers against what clients expect.
import type { Answer } from '../app.js';

type Ask = (row: string, params: readonly string[], body?: unknown, query?: string) => Promise<Answer>;

/** `me` is the id of whoever asks. */
export const askSharing = async (ask: Ask, { series, me }: { readonly series: string; readonly me: string }) => {
  const tag: string = (await ask('POST /admin/sharing-tags', [], { name: 'Kids', description: 'Why' })).json.id;
  const other: string = (await ask('POST /admin/sharing-tags', [], { name: 'Other' })).json.id;
  await ask('GET /admin/sharing-tags', []);
  await ask('GET /admin/sharing-tags/{}', [tag]);
  await ask('PATCH /admin/sharing-tags/{}', [tag], { name: 'Children' });
  await ask('PUT /series/{}/sharing-tags', [series], { sharingTagIds: [tag] });
  await ask('POST /series/{}/sharing-tags', [series], { sharingTagId: other });
  await ask('GET /series/{}/sharing-tags', [series]);
  await ask('DELETE /series/{}/sharing-tags/{}', [series, other]);
  await ask('PUT /users/{}/sharing-tags', [me], { sharingTagId: other, accessMode: 'deny' });
  await ask('GET /users/{}/sharing-tags', [me]);
  await ask('GET /user/sharing-tags', []);
  const group: string = (await ask('POST /access-groups', [], { name: 'Family' })).json.id;
  await ask('GET /access-groups', []);
  await ask('PATCH /access-groups/{}', [group], { description: 'Us' });
  await ask('POST /access-groups/{}/grants', [group], { sharingTagId: other, accessMode: 'deny' });
  await ask('POST /access-groups/{}/members', [group], { userIds: [me] });
  const mapping = (await ask('POST /access-groups/{}/oidc-mappings', [group], { oidcGroupName: 'g' })).json.id;
  await ask('GET /access-groups/{}', [group]);
  await ask('GET /users/{}/access-groups', [me]);
  await ask('GET /users/{}/effective-grants', [me]);
  await ask('DELETE /access-groups/{}/oidc-mappings/{}', [group, mapping]);
  await ask('DELETE /access-groups/{}/grants/{}', [group, other]);
  await ask('DELETE /access-groups/{}/members/{}', [group, me]);
  await ask('DELETE /access-groups/{}', [group]);
  await ask('DELETE /users/{}/sharing-tags/{}', [me, other]);
  await ask('DELETE /admin/sharing-tags/{}', [tag]);
};
