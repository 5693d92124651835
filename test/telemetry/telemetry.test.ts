import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { metricsPage } from '../../scripts/docs.ts';
import { IpoError, Secret } from '../../src/base/index.ts';
import { DENIAL_LABELS } from '../../src/decision/index.ts';
import { SIGNALS } from '../../src/policy/index.ts';
import { METRICS, openLog, openMetrics, Redactor } from '../../src/telemetry/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');

function logOf(
  format: 'json' | 'pretty',
  redactor = new Redactor(),
  stacks = false,
): { log: ReturnType<typeof openLog>; lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    log: openLog({ level: 'debug', format, redactor, stacks, write: (line) => void lines.push(line) }),
  };
}

test('a secret shows itself only to reveal', () => {
  const secret = new Secret('correct horse');
  assert.equal(secret.reveal(), 'correct horse');
  assert.equal(
    `${secret as unknown as string}|${JSON.stringify({ secret })}|${inspect({ secret })}`,
    '[redacted]|{"secret":"[redacted]"}|{ secret: [redacted] }',
  );
});

test('a secret leaves the log in whatever form it is written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 12, maxLength: 40, unit: 'binary' }),
      fc.string({ maxLength: 8 }),
      async (value, before) => {
        fc.pre(value.isWellFormed() && value.trim().length > 8);
        const redactor = new Redactor();
        redactor.add(new Secret(value));
        const { log, lines } = logOf('json', redactor);
        const basic = Buffer.from(`${before}:${value}`).toString('base64');
        log.info('said', {
          plain: `x${value}y`,
          inside: { url: `https://u:${encodeURIComponent(value)}@h/` },
          json: JSON.stringify({ value }),
          bytes: Buffer.from(value).toString('hex'),
          base64: Buffer.from(value).toString('base64'),
          basic,
          error: new Error(`failed with ${value}`, { cause: new Error(value) }),
        });
        const line = lines.join('');
        const read = JSON.parse(line) as Record<string, unknown>;
        for (const form of [
          value,
          JSON.stringify(value).slice(1, -1),
          encodeURIComponent(value),
          Buffer.from(value).toString('hex'),
        ])
          assert.ok(!line.includes(form), form);
        assert.ok(!Buffer.from(String(read['basic']), 'base64').includes(value));
        assert.ok(!Buffer.from(String(read['base64']), 'base64').includes(value));
      },
    ),
    { numRuns: 200 },
  );
});

test('keys that name a secret are never written, whatever they hold', () => {
  const { log, lines } = logOf('json');
  log.info('said', { password: 'hunter2', user: { token: 'abc', name: 'n' } });
  assert.doesNotMatch(lines.join(''), /hunter2|abc/);
  assert.match(lines.join(''), /"name":"n"/);
});

test('a line is JSON with time, level and message, and an error keeps its causes', () => {
  const { log, lines } = logOf('json');
  log.warn('it failed', { error: new TypeError('outer', { cause: new RangeError('inner') }), n: 1 });
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual([line['level'], line['message'], line['n']], ['warn', 'it failed', 1]);
  const { name, cause } = line['error'] as { name: string; cause: { message: string } };
  assert.deepEqual([name, cause.message], ['TypeError', 'inner']);
});

test('what failed outside has no stack, in no form of the log; a defect keeps its own', () => {
  const outside: Error[] = [
    new IpoError('network', 'a.example is not a known host', { cause: new Error('getaddrinfo ENOTFOUND') }),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  ];
  const [, refused] = outside;
  outside.push(
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' }),
  );
  for (const error of outside) {
    const sentence = error.message === '' ? 'connect ECONNREFUSED' : error.message;
    const [json, pretty] = [logOf('json'), logOf('pretty')];
    for (const { log } of [json, pretty]) log.warn('it was not fetched', { job: 'far', error });
    assert.doesNotMatch(json.lines.join(''), /"stack"/);
    assert.equal((JSON.parse(json.lines[0] ?? '') as { error: Error }).error.message, sentence);
    assert.equal(pretty.lines.join('').slice(9), `warn  it was not fetched: ${sentence} job=far\n`);
    const all = logOf('json', undefined, true);
    all.log.warn('it was not fetched', { error });
    assert.match(all.lines.join(''), /"stack":"[^"]*telemetry\.test\.ts/, 'where it is asked for');
  }
  const mixed = logOf('json');
  mixed.log.error('both', { error: new AggregateError([refused, new TypeError('no function')]) });
  assert.match(mixed.lines.join(''), /"stack"/, 'a defect among them');
  const [json, pretty] = [logOf('json'), logOf('pretty')];
  const error = new TypeError('no function', { cause: outside[0] });
  for (const { log } of [json, pretty]) log.error('a defect', { error });
  const logged = (JSON.parse(json.lines[0] ?? '') as { error: Error & { cause: Error } }).error;
  assert.match(logged.stack ?? '', /telemetry\.test\.ts/);
  assert.equal(logged.cause.stack, undefined);
  assert.match(pretty.lines.join(''), /^\d\d:\d\d:\d\d error a defect\n {9}TypeError: no function\n {9}at /);
  assert.match(pretty.lines.join(''), /\n {9}a\.example is not a known host\n$/);
});

test('a line for a person cannot speak to the terminal', () => {
  const { log, lines } = logOf('pretty');
  log.error('bad \u001B[2J thing', { name: 'a\u001B]0;x\u0007b', error: new Error('oh\nno\u001B[1m') });
  assert.match(lines.join(''), /^\d\d:\d\d:\d\d error bad /);
  assert.ok(!lines.join('').includes('\u001B'));
});

test('/metrics has every series of the list, those with closed labels at zero', async () => {
  const metrics = openMetrics();
  const text = await metrics.text();
  for (const name of Object.keys(METRICS)) assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'));
  for (const signal of SIGNALS)
    assert.match(text, new RegExp(`^svc_admission_context_total\\{signal="${signal}"\\} 0$`, 'm'));
  const denials = Object.keys(METRICS.svc_admission_denials_total.labels.reason);
  assert.equal(denials.length, METRICS.svc_admission_denials_total.labels.reason.length);
  for (const label of [...DENIAL_LABELS, 'workload_hardening'])
    assert.match(text, new RegExp(`^svc_admission_denials_total\\{reason="${label}"\\} 0$`, 'm'));
  assert.match(text, /^svc_policy_whatif_runs_total 0$/m);
  const closed = text.split('\n').filter((line) => line.startsWith('svc_issues_closed_total{'));
  assert.equal(closed.length, 12);
  for (const line of closed) assert.match(line, /\{provider="\w+",reason="\w+"\} 0$/);
  metrics.add('svc_policy_whatif_runs_total');
  metrics.collect(() => Promise.reject(new Error('the database is gone')));
  assert.match(await metrics.text(), /^svc_policy_whatif_runs_total 1$/m);
  assert.throws(() => metrics.add('svc_nothing_total'), /not in the list/);
});

test('every series that the program counts is in the list', () => {
  const used = new Set(
    ['src', 'daemon'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .flatMap((entry) => [
          ...readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(/'(svc_[a-z_]+)'/g),
        ])
        .map(([, name = '']) => name),
    ),
  );
  for (const name of used) assert.ok(name in METRICS, `${name} is not in METRICS`);
});

test('docs/metrics.md is what the metrics are', () => {
  assert.equal(
    readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8'),
    metricsPage(),
    'node scripts/docs.ts writes it anew',
  );
});
