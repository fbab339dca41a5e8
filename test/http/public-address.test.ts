// The address under which a client reaches the server: from the settings, from a trusted proxy, from the request; never from anybody else.
import type { Request } from '../../http/server/adapter.js';
import { publicBaseOf } from '../../http/surface/public-address.js';
import { assert, block } from '../kit.js';

const PROXY = '10.0.0.1';
const unknown = new Set<string>();

const base = (headers: Readonly<Record<string, string>>, peer = PROXY, baseUrl: string | null = null): string => {
  const request: Request = {
    method: 'GET',
    path: '/opds',
    query: '',
    header: (name) => headers[name] ?? '',
    has: (name) => name in headers,
    remoteAddress: peer,
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
  };
  const onUntrustedProxy = (address: string): void => void unknown.add(address);
  return publicBaseOf(request, { isTrustedProxy: (address) => address === PROXY, onUntrustedProxy, baseUrl });
};

const FORWARDED = {
  host: '127.0.0.1:8080',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'comics.example',
  'x-forwarded-prefix': '/box/',
};

block('public address', (check) => {
  for (const host of ['', 'a b', 'a/b', 'evil.example/x', 'user@evil.example', 'a:b', 'a"b', '<a>', 'a:123456', 'a\\b'])
    check(`a host that is none gives no address: "${host}"`, () => {
      assert.is(base({ host }), '');
      assert.is(base({ host: 'good.example', 'x-forwarded-host': host }), 'http://good.example');
    });
  for (const prefix of ['//evil.example', '/a/../b', 'box', '/a"b', '/a b', '/..', '/a//b'])
    check(`a prefix that is no path is left out: "${prefix}"`, () =>
      assert.is(base({ host: 'a.example', 'x-forwarded-prefix': prefix }), 'http://a.example'),
    );
  check('headers from a peer that is not a trusted proxy do not set the address', () => {
    const { 'x-forwarded-proto': _, ...others } = FORWARDED;
    assert.is(base(others, '10.0.0.2'), 'http://127.0.0.1:8080');
  });
  check('behind a proxy that is not trusted, addresses are relative: the page may have come over TLS', () => {
    for (const proto of ['https', 'HTTPS, http', 'http', 'x'])
      assert.is(base({ host: 'a.example', 'x-forwarded-proto': proto }, '10.0.0.2'), '', proto);
    assert.is(base({ host: 'a.example', forwarded: 'proto=https;host=b.example' }, '10.0.0.2'), '');
    assert.is(base(FORWARDED, '10.0.0.2', 'https://read.example'), 'https://read.example', 'configured');
  });
  check('a proxy that is not trusted is reported, a plain client is not', () => {
    unknown.clear();
    base({ host: 'a.example' }, '10.0.0.3');
    for (const header of ['x-forwarded-ssl', 'x-forwarded-scheme', 'x-scheme', 'forwarded'])
      assert.is(base({ host: 'a.example', [header]: 'on' }, '10.0.0.2'), '', header);
    assert.equal([...unknown], ['10.0.0.2']);
    const byClient = { host: 'a.example', 'x-forwarded-for': '192.0.2.43' };
    assert.is(base(byClient, '10.0.0.4'), 'http://a.example', 'it says nothing about the address');
    base(FORWARDED, '10.0.0.5', 'https://read.example');
    assert.equal([...unknown], ['10.0.0.2', '10.0.0.4', '10.0.0.5']);
    base(byClient, PROXY);
    assert.is(unknown.has(PROXY), false);
  });
  for (const [said, expected] of [
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '8801' }, 'https://my.domain:8801'],
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '8801, 8080' }, 'https://my.domain:8801'],
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' }, 'https://my.domain'],
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '80' }, 'https://my.domain'],
    [{ 'x-forwarded-port': '80' }, 'http://my.domain'],
    [{ 'x-forwarded-port': '8080' }, 'http://my.domain:8080'],
    [{ 'x-forwarded-port': '0' }, 'http://my.domain'],
    [{ 'x-forwarded-port': '65536' }, 'http://my.domain'],
    [{ 'x-forwarded-port': '8801/x' }, 'http://my.domain'],
    [{ 'x-forwarded-host': 'my.domain:8443', 'x-forwarded-port': '8801' }, 'http://my.domain:8443'],
    [{ 'x-forwarded-host': '[2001:db8::1]', 'x-forwarded-port': '8801' }, 'http://[2001:db8::1]:8801'],
    [{ 'x-forwarded-ssl': 'on' }, 'https://my.domain'],
    [{ 'x-forwarded-ssl': 'off', forwarded: 'proto=https' }, 'http://my.domain'],
    [{ 'x-forwarded-scheme': 'https' }, 'https://my.domain'],
    [{ 'x-scheme': 'https' }, 'https://my.domain'],
    [{ forwarded: 'for=192.0.2.43;proto=https;host=read.example' }, 'https://read.example'],
    [{ forwarded: 'For="[2001:db8::17]:4711";Proto=HTTPS; Host="read.example:8443"' }, 'https://read.example:8443'],
    [{ forwarded: 'proto=https;host=a.example, proto=http;host=b.example' }, 'https://a.example'],
    [{ forwarded: 'host="a\\.example"' }, 'http://a.example'],
    [{ forwarded: 'proto=https;host="a.example' }, 'http://my.domain'],
    [{ forwarded: 'host=a.example/x' }, 'http://my.domain'],
    [{ forwarded: 'host=evil.example', 'x-forwarded-host': 'good.example' }, 'http://good.example'],
    [{ forwarded: 'proto=ftp;;;,,=' }, 'http://my.domain'],
  ] as const)
    check(`a trusted proxy that says ${JSON.stringify(said)}`, () =>
      assert.is(base({ host: 'my.domain', ...said }), expected),
    );
  check('a trusted proxy says scheme, host and the path that it strips', () =>
    assert.is(base(FORWARDED), 'https://comics.example/box'),
  );
  check('of several proxies the outermost counts', () =>
    assert.is(
      base({ ...FORWARDED, 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'a.example, b.example' }),
      'https://a.example/box',
    ),
  );
  check('an address of version 6 and a port stay', () =>
    assert.is(base({ host: '[fe80::1]:8080' }, '10.0.0.2'), 'http://[fe80::1]:8080'),
  );
  check('the configured address counts before all, without its last slash', () =>
    assert.is(base(FORWARDED, PROXY, 'https://read.example/comics/'), 'https://read.example/comics'),
  );
});
