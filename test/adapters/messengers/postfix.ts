import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { makeCertificate, withoutOpenssl } from '../../app/certificate.ts';

/** LOGIN is the only account of the server. */
export const LOGIN = { username: 'ipo', password: 'canary mail % password' } as const;

/** Postfix has its paths compiled in. In a mount namespace of its own they lead to files of the test, and to a package that was unpacked. */
const IN_NAMESPACE = `set -e
files=$1; unpacked=$2; shift 2
mount --make-rprivate /
if [ "$unpacked" != / ]; then
  for at in /usr/lib /usr/sbin; do mount -t overlay -o "lowerdir=$unpacked$at:$at" overlay $at; done
fi
mount -t overlay -o "lowerdir=$files/etc:/etc" overlay /etc
for at in /run /var/spool /var/lib; do mount -t tmpfs none $at; done
mkdir -p /var/lib/postfix /var/spool/postfix/pid
cd /var/spool/postfix
own='active bounce corrupt defer deferred flush hold incoming private saved trace maildrop public'
mkdir $own
chown postfix $own /var/lib/postfix
chgrp postdrop maildrop public
chmod 1730 maildrop
chmod 2710 public
exec "$@"`;

const NOBODY = 65_534;
const ACCOUNTS = {
  passwd: 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\npostfix:x:801:801::/:/bin/false\n',
  group: 'root:x:0:\nnogroup:x:65534:\npostfix:x:801:\npostdrop:x:802:\n',
};

/** The programs that a mail goes through. */
const PARTS = `cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

/** The folder that holds `usr/sbin/postfix`; null for none. */
const UNPACKED = ((): string | null => {
  const { POSTFIX_BIN, PATH = '' } = process.env;
  const programs =
    POSTFIX_BIN === undefined
      ? PATH.split(delimiter).map((folder) => join(folder, 'postfix'))
      : [POSTFIX_BIN];
  const program = programs.find((path) => existsSync(path));
  return program === undefined ? null : join(program, '../../..');
})();

function argumentsFor(folder: string, ...program: readonly string[]): string[] {
  return ['--mount', 'sh', '-c', IN_NAMESPACE, 'sh', folder, UNPACKED ?? '', ...program];
}

/** withoutPostfix says why Postfix cannot be started; false where it can. */
export const withoutPostfix = ((): string | false => {
  if (withoutOpenssl !== false) return withoutOpenssl;
  if (UNPACKED === null) return 'postfix is neither on the PATH nor named by POSTFIX_BIN';
  const folder = makeFolder(0, 0);
  try {
    const asked = argumentsFor(folder, '/usr/lib/postfix/sbin/master', '-t');
    const { status, stderr, error } = spawnSync('unshare', asked, { encoding: 'utf8' });
    if (status === 0) return false;
    return `Postfix needs root and a mount namespace: ${String(error ?? stderr.trim())}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

function makeFolder(port: number, loginPort: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-postfix-'));
  const etc = join(folder, 'etc');
  mkdirSync(join(etc, 'postfix'), { recursive: true });
  for (const [name, text] of Object.entries(ACCOUNTS)) writeFileSync(join(etc, name), text);
  const { cert, key } = makeCertificate(folder, 'mail');
  writeFileSync(
    join(etc, 'postfix', 'main.cf'),
    `compatibility_level = 3.6
myhostname = mail.example.com
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
maillog_file = /dev/stdout
alias_maps =
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${folder}
virtual_mailbox_maps = static:inbox/
virtual_uid_maps = static:${NOBODY}
virtual_gid_maps = static:${NOBODY}
smtpd_tls_security_level = encrypt
smtpd_tls_chain_files = ${key}, ${cert}
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${loginPort}
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = reject_unauth_destination
`,
  );
  writeFileSync(join(etc, 'postfix', 'master.cf'), `127.0.0.1:${port} inet n - n - - smtpd\n${PARTS}`);
  const inbox = join(folder, 'inbox');
  mkdirSync(inbox);
  if (process.getuid?.() === 0) {
    chownSync(folder, NOBODY, NOBODY);
    chownSync(inbox, NOBODY, NOBODY);
  }
  return folder;
}

/** Postfix asks a server of Dovecot's protocol whether a user name and password are right. */
function loginServer(): Server {
  return createServer((socket) => {
    let rest = '';
    socket.write('VERSION\t1\t0\nMECH\tPLAIN\tplaintext\nSPID\t1\nCUID\t1\nCOOKIE\t0\nDONE\n');
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [command, id, ...parameters] = line.split('\t');
        if (command !== 'AUTH') continue;
        const given =
          parameters.find((parameter) => parameter.startsWith('resp='))?.slice('resp='.length) ?? '';
        const [, username, password] = Buffer.from(given, 'base64').toString('utf8').split('\0');
        const isRight = username === LOGIN.username && password === LOGIN.password;
        socket.write(`${isRight ? 'OK' : 'FAIL'}\t${id}\tuser=${username}\n`);
      }
    });
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** Postfix is a running server. */
export interface Postfix {
  readonly port: number;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** Waits until so many mails were delivered, and gives them as they are stored, in no order. */
  delivered(count: number): Promise<readonly string[]>;
}

/** startPostfix starts one that requires STARTTLS and a login, and delivers mail for example.com into a folder; it ends with the test. */
export async function startPostfix(t: TestContext): Promise<Postfix> {
  const logins = loginServer();
  const loginPort = await listen(logins);
  const free = createServer();
  const port = await listen(free);
  await new Promise((done) => free.close(done));
  const folder = makeFolder(port, loginPort);
  // It writes its log to a file, since it cannot open a pipe of Node.js again. A session of its own: the master ends all that are in it.
  const log = openSync(join(folder, 'log'), 'a+');
  const child = spawn('unshare', argumentsFor(folder, '/usr/lib/postfix/sbin/master', '-s'), {
    ...{ detached: true, stdio: ['ignore', log, log] },
  });
  closeSync(log);
  const said = (): string => readFileSync(join(folder, 'log'), 'utf8');
  const ended = new Promise((done) => child.once('close', done));
  t.after(async () => {
    child.kill();
    await ended;
    await new Promise((done) => logins.close(done));
    rmSync(folder, { recursive: true });
  });
  await until(
    () => greets(port),
    () => `Postfix does not start: ${said()}`,
  );
  const stored = join(folder, 'inbox', 'new');
  const names = (): string[] => (existsSync(stored) ? readdirSync(stored) : []);
  return {
    port,
    ca: readFileSync(join(folder, 'mail.crt'), 'utf8'),
    async delivered(count) {
      await until(
        async () => names().length >= count,
        () => `${names().length} of ${count} mails were delivered: ${said()}`,
      );
      return names().map((name) => readFileSync(join(stored, name), 'utf8'));
    },
  };
}

async function until(isSo: () => Promise<boolean>, otherwise: () => string): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 400) throw new Error(otherwise());
    await delay(50);
  }
}

async function greets(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.once('data', (text) => {
      socket.end('QUIT\r\n');
      done(String(text).startsWith('220 '));
    });
    socket.setTimeout(2000, () => socket.destroy());
    socket.once('error', () => done(false)).once('close', () => done(false));
  });
}
