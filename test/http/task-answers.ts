// Asks every route about tasks and work on libraries, for whoever compares the answers with what clients expect.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type TempApp, until } from '../app.js';

type Ask = (row: string, params: readonly string[], body?: unknown, query?: string) => Promise<Answer>;

interface About {
  readonly library: string;
  readonly series: string;
  readonly book: string;
  /** One that was never analysed. */
  readonly broken: string;
}

const work = async (ask: Ask, { library, series, book, broken }: About, shelf: string): Promise<void> => {
  const force = { force: true };
  await ask('POST /books/thumbnails/generate', [], { bookIds: [book], ...force });
  await ask('POST /series/thumbnails/generate', [], { libraryId: library });
  await ask('POST /books/{}/thumbnail/generate', [book], force);
  await ask('POST /series/{}/thumbnail/generate', [series], force);
  for (const what of ['books', 'series']) await ask(`POST /libraries/{}/${what}/thumbnails/generate`, [library], {});
  await ask('POST /series/{}/renumber', [series]);
  await ask('POST /series/{}/title/reprocess', [series], {});
  await ask('POST /series/titles/reprocess', [], { seriesIds: [series] });
  await ask('POST /libraries/{}/series/titles/reprocess', [library], { dryRun: true });
  await ask('POST /books/{}/analyze-unanalyzed', [broken]);
  await ask('POST /series/{}/analyze-unanalyzed', [series]);
  for (const word of ['analyze', 'analyze-unanalyzed']) await ask(`POST /libraries/{}/${word}`, [library]);
  await ask('POST /libraries/preview-scan', [], { path: shelf, seriesStrategy: 'series_volume' });
  await ask('DELETE /libraries/{}/purge-deleted', [library]);
  await ask('DELETE /series/{}/purge-deleted', [series]);
};

/** A scan of a folder that is gone fails. */
const failed = async (ask: Ask, { app, folder }: TempApp): Promise<string> => {
  const path = join(folder, 'gone');
  mkdirSync(path);
  const { id } = (await ask('POST /libraries', [], { name: 'Gone', path })).json;
  rmSync(path, { recursive: true });
  const { taskId } = (await ask('POST /tasks', [], { taskType: { type: 'scan_library', libraryId: id } })).json;
  await until('the scan fails', () => app.scans.active().length === 0 && !app.tasks.isBusy);
  return taskId;
};

export const askTasks = async (ask: Ask, temp: TempApp, about: About): Promise<void> => {
  await work(ask, about, temp.shelf);
  await until('the tasks end', () => !temp.app.tasks.isBusy);
  const failure = await failed(ask, temp);
  await ask('GET /tasks', []);
  await ask('GET /tasks/stats', []);
  await ask('GET /tasks/{}', [failure]);
  await ask('POST /tasks/{}/retry', [failure]);
  await until('the scan fails again', () => temp.app.scans.active().length === 0);
  const taskType = { type: 'analyze_series', seriesId: about.series };
  const { taskId } = (await ask('POST /tasks', [], { taskType, scheduledFor: '2040-01-01T00:00:00Z', priority: 7 }))
    .json;
  await ask('POST /tasks/{}/unlock', [taskId]);
  await ask('POST /tasks/{}/cancel', [taskId]);
  await ask('DELETE /tasks/purge', [], undefined, '?days=1');
  await ask('DELETE /tasks/nuke', []);
};
