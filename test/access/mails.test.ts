// Mails on their way: over real SMTP, or as files; what cannot be sent is told, and never with what is in it.
import { readdirSync, statSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { FILES_MAX, transportOptionsOf } from '../../core/access/mail-delivery.js';
import { QUEUE_MAX } from '../../core/access/mails.js';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { CONFIRMED, openInbox, through, tokenIn, withOffice } from './post-office.js';

const LETTER = { to: 'ann@example.org', subject: 'Hello', text: 'text\n' };

const failing = (check: Check): void => {
  check(
    'what a server refuses is told without what the mail says, and the request has long been answered',
    async () => {
      const inbox = await openInbox(true);
      try {
        await withOffice([...CONFIRMED, ...through(inbox)], async ({ temp, register }) => {
          assert.is((await register('ann')).status, 201);
          await temp.app.mails.idle();
          const [warning = ''] = temp.warnings;
          assert.match(
            warning,
            /could not be sent through 127\.0\.0\.1:\d+; check the email\.smtp_ settings: EMESSAGE/,
          );
          assert.not.match(temp.warnings.join(), /token|ann@|verify-email/);
        });
      } finally {
        await inbox.close();
      }
    },
  );
  check(
    'a server that does not answer keeps nobody waiting, nor the end of the program; more mails than fit are dropped',
    async () => {
      const sockets = new Set<Socket>();
      const mute = createServer((socket) => sockets.add(socket));
      await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
      try {
        await withOffice([...CONFIRMED, ...through(mute.address() as AddressInfo)], async ({ temp, register }) => {
          assert.is((await register('ann')).status, 201);
          await until('it is asked', () => sockets.size === 1);
          for (let n = 0; n < QUEUE_MAX + 5; n += 1) temp.app.mails.post(async () => LETTER);
          assert.is(temp.warnings.filter((one) => one.includes('are dropped')).length, 1);
          await temp.app.mails.stop();
          assert.ok(temp.warnings.includes(`${QUEUE_MAX} mails were not sent, because the server stopped.`));
        });
      } finally {
        for (const socket of sockets) socket.destroy();
        mute.close();
      }
    },
  );
  check('a password goes nowhere without TLS, and certificates are checked, except on this machine', () => {
    const smtp = { host: 'mail.example.org', port: 587, username: 'me', password: 'secret' };
    const { requireTLS, secure, tls } = transportOptionsOf(smtp);
    assert.equal([requireTLS, secure, tls], [true, false, undefined]);
    assert.is(transportOptionsOf({ ...smtp, port: 465 }).secure, true);
    for (const host of ['127.0.0.1.example.org', 'localhost.example.org', '10.0.0.1'])
      assert.is(transportOptionsOf({ ...smtp, host }).requireTLS, true, host);
    assert.is(transportOptionsOf({ ...smtp, host: '127.0.0.1' }).requireTLS, false);
    assert.is(transportOptionsOf({ ...smtp, username: null }).auth, undefined);
  });
};

const delivered = (check: Check): void => {
  check(
    'a real SMTP server gets the mail, to one address and with one of each header, and the link works',
    async () => {
      const inbox = await openInbox();
      const from = [
        { key: 'email.smtp_from_email', text: 'library@example.net' },
        { key: 'email.smtp_from_name', text: 'Our "books", <x@y.example>' },
      ];
      try {
        await withOffice([...CONFIRMED, ...through(inbox), ...from], async ({ temp, register, post }) => {
          await register('Bcc: x@y'.replace('@', ' at '), 'änn+bcc@example.org');
          await temp.app.mails.idle();
          assert.equal(temp.warnings, []);
          const [mail] = inbox.received;
          assert.equal(
            [inbox.received.length, mail?.from, mail?.to],
            [1, 'library@example.net', ['änn+bcc@example.org']],
          );
          const [head = ''] = mail?.text.split('\r\n\r\n') ?? [];
          const names = head.split('\r\n').map((line) => line.split(':')[0]?.toLowerCase());
          assert.equal(
            [names.includes('bcc'), names.filter((one) => one === 'to').length, names.includes('auto-submitted')],
            [false, 1, true],
          );
          assert.not.ok(mail?.text.includes('Bcc: x at y'), 'what somebody else wrote');
          const verified = await post('/auth/verify-email', { token: tokenIn(mail?.text ?? '') });
          assert.equal([verified.status, verified.json.user.username], [200, 'Bcc: x at y']);
        });
      } finally {
        await inbox.close();
      }
    },
  );
  check('with a user name it signs in there first', async () => {
    const inbox = await openInbox();
    const login = [
      { key: 'email.smtp_username', text: 'library' },
      { key: 'email.smtp_password', text: 'kelp and tar' },
    ];
    try {
      await withOffice([...CONFIRMED, ...through(inbox), ...login], async ({ temp, register }) => {
        await register('ann');
        await temp.app.mails.idle();
        assert.equal([inbox.logins, inbox.received.length, temp.warnings], [['library kelp and tar'], 1, []]);
      });
    } finally {
      await inbox.close();
    }
  });
  check('without a server it is a file that only the owner reads, and the log says what to do', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, token, notes }) => {
      await register('ann');
      assert.is((await post('/auth/verify-email', { token: await token() })).status, 200);
      const folder = join(temp.folder, 'data', 'mails');
      const [name = ''] = readdirSync(folder);
      assert.equal([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777], [0o700, 0o600]);
      assert.ok(temp.warnings.some((one) => /not sent but written to .*set email\.smtp_host/.test(one)));
      assert.ok(notes.some((one) => one.endsWith(name)));
    }),
  );
  check('of many files the oldest go', () =>
    withOffice(CONFIRMED, async ({ temp }) => {
      for (let n = 0; n < FILES_MAX + 5; n += 1) {
        temp.advance(1000);
        temp.app.mails.post(async () => ({ ...LETTER, text: `mail ${n}` }));
        await temp.app.mails.idle();
      }
      const names = readdirSync(join(temp.folder, 'data', 'mails')).sort();
      assert.equal([names.length, names[0]?.slice(0, 15)], [FILES_MAX, '20260101T000006']);
    }),
  );
};

block('mails', (check) => {
  failing(check);
  delivered(check);
});
