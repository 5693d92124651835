import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import { DAY_MS } from '../../src/base/index.ts';
import { noRealEvents, realLines } from '../runtime/real-events.ts';
import { scratchDirectory, startRunning, type Running } from './running.ts';

const run = promisify(execFile);

/** Whether curl is at hand, which is a client that is not ours. */
const withoutCurl = await run('curl', ['--version']).then(
  () => false,
  () => 'curl is not at hand',
);

interface Bundle {
  readonly 'ca.crt': string;
  readonly 'client.crt': string;
  readonly 'client.key': string;
}

interface Listed {
  readonly total: number;
  readonly items: readonly { readonly rule: string; readonly kind: string; readonly output: string }[];
}

interface Decided {
  readonly output: string;
  readonly matched: string | null;
  readonly effect: string | null;
  readonly alerted: boolean;
  readonly notified: boolean;
  readonly match_basis: string | null;
}

/** Sent is what a client was answered; 0 where the connection was refused. */
interface Sent {
  readonly status: number;
  readonly text: string;
}

async function start(t: TestContext) {
  const service = await startRunning(t, {
    env: { IPO_INTEGRATIONS_DETECTOR_ENABLED: 'true', IPO_INTEGRATIONS_PORT: '0' },
  });
  const port = await listening(service);
  const { body: bundle } = await service
    .as('administrator')
    .json<Bundle>('GET /integrations/detector/bundle');
  const folder = scratchDirectory(t);
  const put = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const files = {
    ca: put('ca.crt', bundle['ca.crt']),
    cert: put('client.crt', bundle['client.crt']),
    key: put('client.key', bundle['client.key']),
  };
  const curl = async (
    body: string | Buffer,
    more: readonly string[] = ['--cert', files.cert, '--key', files.key],
    path = '/falco',
  ): Promise<Sent> => {
    const text = put('body', '');
    writeFileSync(text, body);
    const url = `https://127.0.0.1:${port}${path}`;
    const given = [
      '-sS',
      '--cacert',
      files.ca,
      '-H',
      'content-type: application/json',
      '-H',
      'expect:',
      ...more,
    ];
    try {
      const { stdout } = await run('curl', [
        ...given,
        '--data-binary',
        `@${text}`,
        '-w',
        '\n%{http_code}',
        url,
      ]);
      const end = stdout.lastIndexOf('\n');
      return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end) };
    } catch (error) {
      return { status: 0, text: String((error as { stderr?: string }).stderr) };
    }
  };
  const events = async (): Promise<Listed> =>
    (await service.as('viewer').json<Listed>('GET /runtime/events', { query: { limit: 100 } })).body;
  return { service, port, bundle, files, put, curl, events };
}

async function listening(service: Running): Promise<number> {
  for (let looks = 0; looks < 4_000; looks += 1) {
    const { body } = await service.as('viewer').json<{ port: number | null }>('GET /integrations/detector');
    if (body.port !== null) return body.port;
    await sleep(25);
  }
  throw new Error(`nothing listens:\n${service.log.join('\n')}`);
}

/** The counts come a moment after what they count. */
async function metric(service: Running, line: RegExp): Promise<void> {
  let text = '';
  for (let looks = 0; looks < 4_000; looks += 1) {
    text = await (await fetch(`${service.url}/metrics`)).text();
    if (line.test(text)) return;
    await sleep(25);
  }
  assert.match(text, line);
}

const event = (n: number, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    ...{ rule: 'Terminal shell in container', priority: 'Notice', source: 'syscall', hostname: 'node-1' },
    time: new Date(Date.now() - n).toISOString().replace('Z', '000001Z'),
    ...{ output: `event ${n}`, tags: ['shell'], output_fields: { 'proc.name': 'sh' }, ...more },
  });

type Stage = Awaited<ReturnType<typeof start>>;

const CASES: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'an event that curl sends with the certificate of the bundle is kept once': async (stage) => {
    const was = (await stage.events()).total;
    const { service, curl, events } = stage;
    const one = event(1);
    assert.deepEqual(await curl(one), { status: 200, text: 'ok' });
    assert.deepEqual(await curl(one), { status: 200, text: 'ok' });
    const zipped = ['--cert', join(service.data, 'x')];
    assert.equal((await curl(event(2), zipped)).status, 0, 'a certificate that is not there');
    const relayed = event(3, {
      uuid: 'b5c9c0a2',
      tags: ['a', 'b'],
      output_fields: { 'proc.name': 'sh', customfield: 'x' },
    });
    assert.equal((await curl(relayed, undefined, '/falcosidekick')).status, 200);
    const { total, items } = await events();
    assert.deepEqual([total - was, items.map(({ output }) => output)], [2, ['event 3', 'event 1']]);
    await metric(service, /svc_runtime_events_total\{source="syscall",priority="Notice"\} [23]\n/);
    const { items: audit } = (
      await service
        .as('administrator')
        .json<{ items: readonly unknown[] }>('GET /audit', { query: { action: 'detector_bundle_download' } })
    ).body;
    assert.equal(audit.length, 1);
  },

  'nobody else is let in, whatever certificate is shown, and none of it is an event': async (stage) => {
    const was = (await stage.events()).total;
    const { service, put, files, curl, events } = stage;
    const kept = JSON.parse(readFileSync(join(service.data, 'detector.json'), 'utf8')) as Record<
      string,
      string
    >;
    const authority = { cert: kept['ca.crt'] ?? '', key: kept['ca.key'] ?? '' };
    const now = Date.now();
    const life = { from: now, to: now + DAY_MS };
    const other = await certificateMaker.makeAuthority(life);
    const shown = (
      name: string,
      { cert, key }: { readonly cert: string; readonly key: string },
    ): string[] => [...['--cert', put(`${name}.crt`, cert), '--key', put(`${name}.key`, key)]];
    const expired = { from: now - 2 * DAY_MS, to: now - DAY_MS };
    const CALLERS: Readonly<Record<string, readonly string[]>> = {
      'no certificate': [],
      'another authority': shown('other', await certificateMaker.makeClient(other, 'runtime-detector', life)),
      'an expired one': shown(
        'expired',
        await certificateMaker.makeClient(authority, 'runtime-detector', expired),
      ),
      'the authority, and another key': shown(
        'key',
        await certificateMaker.makeClient(authority, 'runtime-detector', life),
      ),
      'a certificate of a server': shown(
        'server',
        await certificateMaker.makeServing(authority, ['localhost'], life),
      ),
      'the right one over TLS 1.2': ['--cert', files.cert, '--key', files.key, '--tls-max', '1.2'],
    };
    for (const [what, given] of Object.entries(CALLERS)) {
      const { status, text } = await curl(event(1), given);
      assert.equal(status, 0, `${what}: ${text}`);
    }
    assert.equal((await events()).total - was, 0);
    await metric(service, /svc_runtime_events_dropped_total\{reason="unauthorised"\} 6\n/);
    assert.equal((await curl(event(1))).status, 200);
  },

  'what is no event is refused with its reason and counted, and the listener lives on': async (stage) => {
    const was = (await stage.events()).total;
    const { service, curl, events } = stage;
    const refused: readonly (readonly [string | Buffer, number, RegExp])[] = [
      ['not json', 400, /not JSON/],
      ['', 400, /not JSON/],
      ['[1,2]', 400, /not a JSON object/],
      [`${'{"a":'.repeat(4000)}1${'}'.repeat(4000)}`, 400, /nested deeper/],
      [event(1, { priority: 'Grave' }), 400, /priority/],
      [event(1, { time: 'yesterday' }), 400, /time/],
      [event(1, { rule: 7 }), 400, /rule/],
      [event(1, { output_fields: [1] }), 400, /output_fields/],
      [event(1, { output: 'x'.repeat(70_000) }), 413, /65536 bytes/],
    ];
    for (const [body, status, said] of refused) {
      const answer = await curl(body);
      assert.equal(answer.status, status, String(body).slice(0, 80));
      assert.match(answer.text, said);
    }
    const long = event(1, { output: 'x'.repeat(70_000) });
    assert.equal((await curl(long, undefined, '/falcosidekick')).status, 200);
    assert.equal((await curl('{}', undefined, '/metrics')).status, 404);
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, n]));
    assert.equal((await curl(event(2, { output_fields: fields }), undefined, '/falcosidekick')).status, 200);
    const early = event(3, { time: '1999-01-01T00:00:00Z', output: '\u001b[31m<script>\u0000' });
    assert.equal((await curl(early)).status, 200);
    assert.equal((await events()).total - was, 3);
    await metric(service, /svc_runtime_events_dropped_total\{reason="unreadable"\} 8\n/);
    await metric(service, /svc_runtime_events_dropped_total\{reason="too_large"\} 1\n/);
  },

  'a client that still sends an event that is too long has its answer, and goes on': async ({
    port,
    bundle,
    events,
  }) => {
    const was = (await events()).total;
    const socket = connect({
      ...{ port, host: '127.0.0.1', checkServerIdentity: () => undefined },
      ...{ ca: bundle['ca.crt'], cert: bundle['client.crt'], key: bundle['client.key'] },
    });
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => (said += text));
    const answered = async (status: string): Promise<void> => {
      while (!said.includes(`HTTP/1.1 ${status}`)) {
        assert.equal(socket.closed, false, said);
        await sleep(5);
      }
    };
    const head = 'POST /falco HTTP/1.1\r\nHost: detector\r\nContent-Length: ';
    socket.write(`${head}70000\r\n\r\n${'x'.repeat(1000)}`);
    await answered('413');
    const next = event(9);
    socket.write(`${'x'.repeat(69_000)}${head}${Buffer.byteLength(next)}\r\n\r\n${next}`);
    await answered('200');
    socket.destroy();
    assert.equal((await events()).total - was, 1);
  },

  'a compressed event is read, and one that grows beyond the bound is not': async (stage) => {
    const was = (await stage.events()).total;
    const { port, bundle, events } = stage;
    const post = (body: Buffer): Promise<number> =>
      new Promise((resolve, reject) => {
        const call = request(
          {
            ...{
              host: '127.0.0.1',
              port,
              path: '/falco',
              method: 'POST',
              headers: { 'content-encoding': 'gzip' },
            },
            ...{ ca: bundle['ca.crt'], cert: bundle['client.crt'], key: bundle['client.key'] },
          },
          (answer) => {
            answer.resume();
            answer.on('end', () => resolve(answer.statusCode ?? 0));
          },
        );
        call.on('error', reject);
        call.end(body);
      });
    assert.equal(await post(gzipSync(event(1))), 200);
    assert.equal(await post(gzipSync(event(1, { output: 'x'.repeat(10_000_000) }))), 400);
    assert.equal(await post(Buffer.from('no gzip')), 400);
    assert.equal((await events()).total - was, 1);
  },

  'the process that takes events is started again when it dies, on the same port': async (stage) => {
    const was = (await stage.events()).total;
    const { service, curl, events, port } = stage;
    assert.equal((await curl(event(1))).status, 200);
    const before = service.log.length;
    const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
    const [pid] = stdout
      .split('\n')
      .flatMap((line) => (line.includes('detector-worker') ? [Number.parseInt(line, 10)] : []));
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    for (let looks = 0; looks < 4_000; looks += 1) {
      if (service.log.slice(before).some((line) => line.includes('is listened to'))) break;
      await sleep(25);
    }
    assert.equal(await listening(service), port);
    assert.equal((await curl(event(2))).status, 200);
    assert.equal((await events()).total - was, 2);
  },

  'the leader decides an event within moments, by the rules that stand': async ({ service, curl }) => {
    const rule = {
      name: 'shells',
      match: { tags: ['shell'], fields: [{ name: 'proc.name', equals: 'bash' }] },
      action: 'notify',
    };
    await service.as('administrator').json('POST /runtime/rules', { body: rule });
    const output = 'a shell that is decided';
    assert.equal((await curl(event(9, { output, output_fields: { 'proc.name': 'bash' } }))).status, 200);
    let seen: Decided | undefined;
    for (let looks = 0; looks < 4_000 && typeof seen?.effect !== 'string'; looks += 1) {
      await sleep(25);
      const query = { priority: 'Notice', limit: 1 };
      const { body } = await service
        .as('viewer')
        .json<{ items: readonly Decided[] }>('GET /runtime/events', { query });
      [seen] = body.items;
    }
    assert.deepEqual(
      [seen?.output, seen?.matched, seen?.effect, seen?.alerted, seen?.notified, seen?.match_basis],
      [output, 'shells', 'notify', true, false, 'none'],
    );
    await metric(service, /svc_runtime_rule_matches_total\{rule="shells",action="notify"\} 1\n/);
  },
  'every real line of Falco is kept as an event, a sign of life or a test': async (stage) => {
    const was = (await stage.events()).total;
    const { curl, events } = stage;
    const lines = noRealEvents === false ? realLines() : [];
    for (const line of lines) assert.equal((await curl(line, undefined, '/falcosidekick')).status, 200, line);
    const kept = (await events()).total - was;
    // Some of the lines are the same event.
    assert.ok(kept >= lines.length - 2 && kept <= lines.length, String(kept));
  },
};

test('the listener of the runtime detector', { skip: withoutCurl }, async (t) => {
  const stage = await start(t);
  for (const [name, run] of Object.entries(CASES)) await t.test(name, () => run(stage));
});

test('off, nothing listens and there is no bundle', async (t) => {
  const service = await startRunning(t);
  const { body } = await service.as('viewer').json<{ enabled: boolean }>('GET /integrations/detector');
  assert.equal(body.enabled, false);
  assert.equal(existsSync(join(service.data, 'detector.json')), false);
  const old = await fetch(`${service.url}/api/v1/integrations/detector`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.secretOf('administrator')}` },
  });
  // The old address of events with a bearer token.
  assert.equal(old.status, 404);
  const { code, hint } = (await old.json()) as { code: string; hint: string };
  assert.deepEqual([code, old.headers.get('allow')], ['not_found', null]);
  assert.match(hint, /integrations\.port/);
  const wrong = await fetch(`${service.url}/api/v1/integrations/detector`, { method: 'DELETE' });
  assert.equal(wrong.status, 405);
});
