// Forms with one file: damaged and malicious ones first, then what clients really send, against the platform's own reader.
import { AppError } from '../../core/model/errors.js';
import { formFile } from '../../http/surface/multipart.js';
import { BOUNDARY, type Form, formOf, partForm, rawForm } from '../form.js';
import { assert, block } from '../kit.js';

const read = ({ body, headers }: Form): Uint8Array =>
  formFile({ body, header: (name) => headers[name] ?? '' }, ['file', 'cover', 'image']);

const refusal = (form: Form): string => {
  try {
    read(form);
  } catch (thrown) {
    if (thrown instanceof AppError) return `${thrown.kind}: ${thrown.message}`;
    throw thrown;
  }
  return 'accepted';
};

const FILE = 'Content-Disposition: form-data; name="file"; filename="x.jpg"';

block('forms with a file', (check) => {
  check('other content types are refused, and forms that do not name a boundary', () => {
    for (const type of [
      '',
      'application/json',
      'image/jpeg',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
    ])
      assert.ok(refusal(rawForm('x', type)).startsWith('UnsupportedMediaType'), type);
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ])
      assert.ok(refusal(rawForm('x', type)).startsWith('BadRequest: The Content-Type of a form must name'), type);
  });
  check('a body that is empty, not a form or cut anywhere is refused', () => {
    assert.ok(refusal(rawForm('')).startsWith('BadRequest'));
    assert.ok(refusal(rawForm('\xff\xd8\xff')).startsWith('BadRequest'));
    const { body } = partForm(FILE, 'content');
    // The last two bytes are the line end behind the closing boundary, and the two before them the hyphens that close it.
    for (let length = 0; length < body.length - 2; length += 1)
      assert.ok(refusal(rawForm(body.subarray(0, length))).startsWith('BadRequest'), `${length} bytes`);
  });
  check('no file, and more than one, are refused', async () => {
    assert.is(refusal(await formOf({ title: 'x' })), 'BadRequest: The form has no field file with a file.');
    const two = await formOf({ file: Buffer.from('a'), cover: Buffer.from('b') });
    assert.is(refusal(two), 'BadRequest: The form has more than one file.');
    const head = 'Content-Disposition: form-data; name="file"';
    const twice = `--${BOUNDARY}\r\n${head}\r\n\r\na\r\n--${BOUNDARY}\r\n${head}\r\n\r\nb\r\n--${BOUNDARY}--`;
    assert.is(refusal(rawForm(twice)), 'BadRequest: The form has more than one file.');
  });
  check('a huge file name and too many parts are refused', async () => {
    const huge = await formOf({ file: Buffer.from('a') }, `${'x'.repeat(10_000)}.jpg`);
    assert.ok(refusal(huge).startsWith('BadRequest: The header of a part of the form has more than 8192 bytes'));
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`field${at}`, 'x']));
    assert.is(
      refusal(await formOf({ ...many, file: Buffer.from('a') })),
      'BadRequest: The form has more than 100 parts.',
    );
  });
  check('a file name that looks like a field name, or like a path, means nothing', async () => {
    const sly = partForm('Content-Disposition: form-data; name="title"; filename="a; name=file; b.jpg"', 'x');
    assert.is(refusal(sly), 'BadRequest: The form has no field file with a file.');
    const paths = ['../../etc/passwd', 'C:\\x.jpg', '/dev/null', 'a"b.jpg', 'ü名.jpg', 'name="file"'];
    for (const name of paths)
      assert.is(Buffer.from(read(await formOf({ file: Buffer.from('x') }, name))).toString(), 'x', name);
  });
  check('the bytes are those of the file, whatever they contain', async () => {
    const contents = [
      '',
      'x',
      '\r\n',
      '\r\n\r\n',
      '--',
      `--${BOUNDARY}`,
      `\r\n--${BOUNDARY.slice(0, -1)}`,
      '\0'.repeat(99),
    ];
    for (const content of contents) {
      const form = await formOf({ title: 'x', file: Buffer.from(content), more: 'y' });
      assert.is(Buffer.from(read(form)).toString(), content, JSON.stringify(content));
    }
  });
  check('random bytes arrive as the platform reads them', async () => {
    let seed = 1;
    const next = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 200; round += 1) {
      const content = Buffer.from(Array.from({ length: next(300) }, () => [13, 10, 45, 97][next(4)] ?? 0));
      const form = await formOf({ a: 'b', cover: content });
      const theirs = await new Response(form.body, { headers: form.headers }).formData();
      const file = theirs.get('cover');
      assert.ok(file instanceof Blob);
      assert.is(Buffer.compare(Buffer.from(read(form)), Buffer.from(await file.arrayBuffer())), 0);
    }
  });
  check(
    'short and quoted boundaries, spaces behind them and text around the parts are as the standard has them',
    () => {
      const body = (boundary: string): string =>
        `--${boundary}  \r\n${FILE}\r\nContent-Type: image/png\r\n\r\nx\r\n--${boundary}--\r\nepilogue`;
      const types = [
        ['multipart/form-data; boundary=b', 'b'],
        ['Multipart/Form-Data; charset=utf-8; boundary="b c"', 'b c'],
        [`multipart/form-data; boundary=${'x'.repeat(70)}; charset=utf-8`, 'x'.repeat(70)],
      ] as const;
      for (const [type, boundary] of types)
        assert.is(Buffer.from(read(rawForm(body(boundary), type))).toString(), 'x', type);
      const preamble = `preamble\r\n${body(BOUNDARY)}`;
      assert.is(Buffer.from(read(rawForm(preamble))).toString(), 'x');
    },
  );
});
