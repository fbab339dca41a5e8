// Requests to a provider when the server stops: none goes on, and none begins.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProviderRequests } from '../../core/sign-on/provider-requests.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const AT_ONCE_MAX = 16;

block('requests to a provider', (check) => {
  check('end with the server: those under way, those that wait for their turn, and those that come later', async () => {
    let asked = 0;
    const silent = createServer(() => {
      asked += 1;
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const requests = new ProviderRequests('home');
    const whyNot = (): Promise<string> =>
      requests.fetch(address).then(
        () => 'answered',
        (thrown: Error) => String(thrown.cause),
      );
    const all = Array.from({ length: AT_ONCE_MAX + 10 }, whyNot);
    await until('the first are under way', () => asked === AT_ONCE_MAX);
    requests.stop();
    const reasons = await Promise.all([...all, whyNot()]);
    assert.equal([...new Set(reasons)], ['Error: the server is stopping']);
    assert.is(asked, AT_ONCE_MAX);
    silent.closeAllConnections();
    silent.close();
    await once(silent, 'close');
  });
});
