import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, after, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const policy = (name: string, spec: string): string =>
  `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: ${name} }\nspec: { ${spec} }\n`;
const WARNS = policy('warns', 'enforcement: Enforce, digestEnforcement: warn, targetNamespaces: [shop]');
const AUDITS = policy('audits', 'digestEnforcement: require, targetNamespaces: [shop]');

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipo-check-words-'));
  writeFileSync(join(folder, 'policies.yaml'), `${WARNS}---\n${AUDITS}`);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const check = (...args: string[]) => ipo(['check', '-p', join(folder, 'policies.yaml'), ...args]);

test('an invalid reference given by name is said to be one where no policy governs it', async () => {
  const { code, out, err } = await check('--offline', 'NGINX::1');
  assert.equal(code, 2);
  assert.match(out, /NGINX::1 {2}invalid reference/);
  assert.match(err, /^ipo: "NGINX::1" is not a valid image reference: it has a repository name/m);
});

test('an invalid reference given by name is not decided where nothing denies it, in every format', async () => {
  const given = ['--offline', 'NGINX::1'];
  const { out } = await check(...given);
  assert.match(out, /^ {2}\? NGINX::1 {2}invalid reference$/m);
  assert.match(out, /not decided: the reference is not valid: it has a repository name/);
  assert.match(out, /to decide: write a reference/);
  assert.match(out, /1 not decided, which fails the check/);
  assert.doesNotMatch(out, /✓|\d allowed/);
  const { code, out: json } = await check(...given, '-o', 'json');
  const { results, undecided } = JSON.parse(json) as { results: { allowed: unknown }[]; undecided: number };
  assert.deepEqual([code, results[0]?.allowed, undecided], [2, null, 1]);
  assert.match((await check(...given, '-o', 'junit')).out, /failures="1"/);
});

test('an invalid reference in a manifest that no policy governs is allowed, with no advice how to pass', async () => {
  const pod = join(folder, 'invalid.yaml');
  writeFileSync(
    pod,
    'apiVersion: v1\nkind: Pod\nmetadata: { name: web, namespace: other }\nspec: { containers: [{ name: main, image: "NGINX::1" }] }\n',
  );
  const { code, out } = await check('--offline', '-f', pod);
  assert.equal(code, 0);
  assert.match(out, /invalid reference/);
  assert.match(out, /1 allowed/);
  assert.doesNotMatch(out, /to pass/);
});

test('a container that names no image is denied in a whole sentence', async () => {
  const pod = join(folder, 'pod.yaml');
  writeFileSync(
    pod,
    'apiVersion: v1\nkind: Pod\nmetadata: { name: web, namespace: shop }\nspec: { containers: [{ name: main }] }\n',
  );
  const { code, out } = await check('--offline', '-f', pod);
  assert.equal(code, 1);
  assert.match(out, /main {2}\(no image\) +registry\n +registry not allowed: the container names no image/);
});

test('a warning names its policy, and JSON says who warns', async () => {
  const args = ['--offline', '-n', 'shop', 'nginx:1'];
  assert.match((await check(...args)).out, /^ +warning \(policy warns\): digest required: nginx:1$/m);
  const { results } = JSON.parse((await check('-o', 'json', ...args)).out) as {
    results: { warnings: string[]; warned_by: unknown }[];
  };
  assert.deepEqual(results[0]?.warnings, ['digest required: nginx:1']);
  assert.deepEqual(results[0]?.warned_by, [{ policy: 'warns', warning: 'digest required: nginx:1' }]);
});

test('a node ceiling does not end with the month', async () => {
  const quota = async (sentence: string) =>
    (await check('--offline', '-n', 'shop', '--quota', sentence, 'nginx:1')).out;
  assert.match(await quota('node ceiling of 3 exceeded'), /to pass: have the node ceiling raised/);
  assert.match(
    await quota('monthly allowance of 3 image names exceeded'),
    /to pass: wait for the next month/,
  );
});

test('a service that is named and not needed is said not to be called', async () => {
  const { code, err } = await check('--server', 'https://ipo.example', 'nginx:1');
  assert.equal(code, 0);
  assert.match(err, /^ipo: the service was not called: no policy decides on any of these images$/m);
  assert.match(
    err,
    /no digest and no scan is known for nginx:1: name the digest, or give facts with --trivy/,
  );
});

test('all problems of a file of test cases are reported at once', async () => {
  const file = join(folder, 'a.test.yaml');
  writeFileSync(
    file,
    'apiVersion: ipo.dev/v1\nkind: PolicyTest\npolicy: policies.yaml\ncases: [{ name: x, expect: alowed, foo: 1, bar: 2 }]\n',
  );
  const { code, err } = await ipo(['policy', 'test', file]);
  assert.equal(code, 2);
  const said = [
    /given is missing/,
    /expect must be one of .*or a mapping with undecided/,
    /\.foo"/,
    /\.bar"/,
  ];
  for (const one of said) assert.match(err, one);
});
