// The caches of PDF documents, for administrators: cached pages, and documents that threads keep open.
import Type from 'typebox';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { uuid } from '../../surface/schemas.js';
import { PdfCacheStats, PdfCleanupBegun, PdfHandles, PdfHandlesClosed, PdfPagesRemoved } from '../schemas/pdf-cache.js';
import { handlesView, pdfCacheView, removedView } from '../views/pdf-cache.js';

const IN_USE = 'A document in use is closed when its page is done; it is counted if that takes less than two seconds.';

export const PDF_CACHE_ROUTES: readonly Route[] = [
  route({
    id: 'pdfCache.stats',
    method: 'GET',
    path: '/admin/pdf-cache',
    access: 'SystemAdmin',
    reply: ok(PdfCacheStats),
    about: 'How many pages of PDF documents are cached, and which documents are open.',
    run: async ({ app, viewer, request }) => {
      const found = await app.pdfCache.count(request.signal);
      const place = {
        folder: app.ownFolders[1] ?? '',
        isKeeping: app.blobs.isKeeping,
        ageDays: app.pdfCache.ageDays(found),
      };
      return json(200, pdfCacheView(found, place, await app.pdfCache.documents(viewer)));
    },
  }),
  route({
    id: 'pdfCache.handles',
    method: 'GET',
    path: '/admin/pdf-cache/handles',
    access: 'SystemAdmin',
    reply: ok(PdfHandles),
    about: 'The PDF documents that worker threads keep open between pages.',
    run: async ({ app, viewer }) => json(200, handlesView(await app.pdfCache.documents(viewer))),
  }),
  route({
    id: 'pdfCache.closeAll',
    method: 'DELETE',
    path: '/admin/pdf-cache/handles',
    access: 'SystemAdmin',
    reply: ok(PdfHandlesClosed),
    about: `Closes all open PDF documents. ${IN_USE}`,
    run: async ({ app }) => json(200, { handlesClosed: await app.pdfCache.closeAll() }),
  }),
  route({
    id: 'pdfCache.close',
    method: 'DELETE',
    path: '/admin/pdf-cache/handles/{book_id}',
    access: 'SystemAdmin',
    params: Type.Object({ book_id: uuid }),
    reply: ok(PdfHandlesClosed),
    fails: ['NotFound'],
    about: `Closes the document of a book in every thread that has it open. ${IN_USE}`,
    run: async ({ app, viewer }, { params: { book_id } }) =>
      json(200, { handlesClosed: await app.pdfCache.closeOf(book_id, viewer) }),
  }),
  route({
    id: 'pdfCache.clear',
    method: 'DELETE',
    path: '/admin/pdf-cache/pages',
    access: 'SystemAdmin',
    reply: ok(PdfPagesRemoved),
    fails: ['StorageFailed'],
    about: 'Removes all cached pages of PDF documents; covers and pages of other books stay.',
    run: async ({ app, request }) => json(200, removedView(await app.pdfCache.clear(request.signal))),
  }),
  route({
    id: 'pdfCache.cleanup',
    method: 'POST',
    path: '/admin/pdf-cache/pages/cleanup',
    access: 'SystemAdmin',
    reply: ok(PdfCleanupBegun),
    about:
      'Enqueues the removal of cached pages of PDF documents that are older than the setting pdf_cache.max_age_days.',
    run: async ({ app, viewer }) =>
      json(200, {
        maxAgeDays: app.pdfCache.maxAgeDays,
        message: 'The clean-up has been enqueued.',
        taskId: await app.pdfCache.add(viewer),
      }),
  }),
];
