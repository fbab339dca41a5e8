// Requests to every route of settings, preferences and what administrators see of the machine, for the test that holds answers against what
// clients expect.
import type { Answer } from '../app.js';

type Ask = (row: string, params: readonly string[], body?: unknown, query?: string) => Promise<Answer>;

export const askPreferences = async (ask: Ask): Promise<void> => {
  await ask('PUT /user/preferences', [], { preferences: { 'ui.theme': 'dark', 'reader.default_zoom': 120 } });
  await ask('PUT /user/preferences/{}', ['reader.gaps'], { value: null });
  await ask('GET /user/preferences', []);
  await ask('GET /user/preferences/{}', ['ui.theme']);
  await ask('DELETE /user/preferences/{}', ['ui.theme']);
};

export const askSettings = async (ask: Ask, book: string): Promise<void> => {
  const updates = [{ key: 'application.name', value: 'Shelf' }];
  await ask('POST /admin/settings/bulk', [], { updates, changeReason: 'a new name' });
  await ask('PUT /admin/settings/{}', ['thumbnail.max_dimension'], { value: '300' });
  await ask('GET /admin/settings', []);
  await ask('GET /admin/settings/{}', ['application.name']);
  await ask('GET /admin/settings/{}/history', ['application.name']);
  await ask('POST /admin/settings/{}/reset', ['application.name']);
  await ask('PATCH /setup/settings', [], { settings: { 'application.name': 'Shelf' }, skipConfiguration: false });
  for (const row of ['GET /settings/branding', 'GET /settings/public', 'GET /observability/config', 'GET /info'])
    await ask(row, []);
  await ask('GET /filesystem/browse', [], undefined, '?path=/');
  await ask('GET /filesystem/drives', []);
  for (const row of ['GET /metrics/inventory', 'GET /metrics/tasks', 'GET /metrics/plugins']) await ask(row, []);
  await ask('GET /metrics/tasks/history', [], undefined, '?days=3&granularity=day&taskType=scan_library');
  await ask('POST /metrics/tasks/cleanup', []);
  await ask('DELETE /metrics/tasks', []);
  await ask('GET /admin/cleanup-orphans/stats', [], undefined, '?includeFiles=true');
  await ask('POST /admin/cleanup-orphans', []);
  await ask('DELETE /admin/cleanup-orphans', []);
  await ask('GET /admin/pdf-cache', []);
  await ask('GET /admin/pdf-cache/handles', []);
  await ask('DELETE /admin/pdf-cache/handles', []);
  await ask('DELETE /admin/pdf-cache/handles/{}', [book]);
  await ask('DELETE /admin/pdf-cache/pages', []);
  await ask('POST /admin/pdf-cache/pages/cleanup', []);
};
