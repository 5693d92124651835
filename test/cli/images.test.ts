import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { imageDetailViews, imageListViews } from '../../bin/images/view.ts';
import { renderRows } from '../../bin/terminal/rows.ts';
import { openPaint } from '../../bin/terminal/paint.ts';
import type { ImageDetailBody, ImageListBody } from '../../src/api/contract/images.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { seePlatforms } from '../../src/store/facts/node-platforms.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { startCli } from './inventory.ts';
import { startRunning } from '../app/running.ts';
import { ipo } from './fake-terminal.ts';

const POLICY = { ...policyOf(toSpec({ enforcement: 'Audit', severityThreshold: 'HIGH' })), name: 'base' };

test('ipo images list shows the counts of the four states and then the images', async (t) => {
  const { as, api, folder } = await startCli(t, [POLICY]);
  const { code, out, err } = await as('viewer', 'images', 'list');
  assert.deepEqual([code, err], [0, '']);
  const [tiles = '', empty, heading = '', ...rows] = out.trimEnd().split('\n');
  assert.equal(tiles, '1 Blocked   1 Unscanned   1 Compliant   1 Not compliant');
  assert.equal(empty, '');
  assert.match(heading, /^state +image +digest +crit +high +KEV +gate$/);
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/)),
    [
      ['Blocked', 'ghcr.io/acme/web:1', '000000000000', '–', '–', '–', 'registry'],
      ['Not compliant', 'ghcr.io/acme/job:3', '000000000000', '1', '0', '1', 'threshold (audit)'],
      ['Unscanned', 'quay.io/acme/tool:4', '000000000000', '–', '–', '–', '–'],
      ['Compliant', 'ghcr.io/acme/web:2', '000000000000', '0', '0', '0', '–'],
    ],
  );

  const body = (await api.as('viewer').json('GET /images')).text;
  const file = join(folder, 'images.yaml');
  const json = await as('viewer', 'images', 'list', '-o', 'json', '-o', `yaml=${file}`);
  assert.equal(json.out, `${body}\n`);
  assert.deepEqual(parse(readFileSync(file, 'utf8')), JSON.parse(body));
  const markdown = await as('viewer', 'images', 'list', '--filter', 'not COMPLIANT', '-o', 'markdown');
  assert.match(
    markdown.out,
    /^\*\*1\*\* Blocked · \*\*1\*\* Unscanned · .*\n\n\| state \| image .*\n\|.*\n\| `Not compliant` \| `ghcr.io\/acme\/job:3` /,
  );
});

test('lists and details say for which platforms an image is scanned, and which are missing', async (t) => {
  const { as, api, store } = await startCli(t, [POLICY]);
  await seePlatforms(store, 'east', ['linux/amd64', 'linux/arm64'], 'linux/amd64', AT);
  const entries = ['amd64', 'arm64', 's390x'].map((name, i) => ({
    platform: `linux/${name}`,
    digest: digestOf(0x101 + i),
  }));
  const scan = (platform: string) =>
    store.write((transaction) =>
      recordScan(transaction, {
        ...{ digest: digestOf(0xc3), names: [], source: null, platform, entries, at: AT },
        scan: scanOf([finding('CVE-1', 'CRITICAL')]),
      }),
    );
  await scan('linux/amd64');
  const listed = await api
    .as('viewer')
    .json<ImageListBody>('GET /images', { query: { filter: 'Unscanned' } });
  assert.deepEqual(listed.body.items.find(({ name }) => name === 'ghcr.io/acme/job:3')?.scan?.platforms, [
    { platform: 'linux/amd64', state: 'scanned' },
    { platform: 'linux/arm64', state: 'missing' },
  ]);
  const paint = await openPaint({ color: false, columns: 200 });
  const table = JSON.stringify(imageListViews(listed.body).table(paint));
  assert.match(table, /1 of 2 platforms/);
  const shown = (await as('viewer', 'images', 'show', digestOf(0xc3))).out;
  assert.match(shown, /it has no completed scan for linux\/arm64; /);
  assert.match(shown, /platforms: linux\/amd64 scanned 2026-11-19 02:00 UTC, linux\/arm64 not scanned yet\n/);
  await scan('linux/arm64');
  const { body } = await api.as('viewer').json<ImageDetailBody>('GET /images/{digest}', {
    params: { digest: digestOf(0xc3) },
  });
  assert.equal(body.state, 'Not compliant');
  assert.deepEqual(
    body.scan?.platforms?.map(({ platform, state, digest }) => [platform, state, digest]),
    entries.slice(0, 2).map(({ platform, digest }) => [platform, 'scanned', digest]),
  );
});

test('a list is cut to the width of a terminal, and whole for a file or another program', async () => {
  const columns = [{ heading: 'image', flex: 1 }];
  const name = `registry.example.com/${'a-long-way/'.repeat(10)}api:1.0.0`;
  const shown = (out: boolean) =>
    renderRows(columns, [[name]], '', { columns: 60, tty: { in: true, out, err: true } });
  assert.equal(await shown(false), `image\n${name}\n`);
  const [, line = ''] = (await shown(true)).split('\n');
  assert.deepEqual([line.length, line.includes('…')], [60, true]);
});

test('ipo images list narrows, orders and pages in the service, and tells what it does not show', async (t) => {
  const { as } = await startCli(t, [POLICY]);
  const names = async (...flags: string[]): Promise<string[]> => {
    const { out } = await as('viewer', 'images', 'list', '-o', 'json', ...flags);
    return (JSON.parse(out) as { items: { name: string }[] }).items.map(({ name }) => name);
  };
  assert.deepEqual(await names('--search', 'ACME/W', '--sort', 'name'), [
    'ghcr.io/acme/web:1',
    'ghcr.io/acme/web:2',
  ]);
  assert.deepEqual(await names('--sort', 'name', '--order', 'desc', '--limit', '1', '--offset', '1'), [
    'ghcr.io/acme/web:2',
  ]);
  assert.match(
    (await as('viewer', 'images', 'list', '--limit', '1')).out,
    /\n3 further images not shown; see --limit and --offset\n$/,
  );
  assert.match(
    (await as('viewer', 'images', 'list', '--search', 'nothing')).out,
    /\nNo image is in this list\.\n$/,
  );
  const wrong = await as('viewer', 'images', 'list', '--filter', 'Blocked!');
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.err,
    /unknown filter "Blocked!"; the states are Blocked, Unscanned, Compliant, Not compliant/,
  );
  assert.match(wrong.err, /\n {2}Did you mean "Blocked"\?\n$/);
  assert.equal((await as('viewer', 'images', 'list', '--limit', '0')).code, 2);
});

test('ipo images show tells why, where, what each policy says, and the findings', async (t) => {
  const { as, api } = await startCli(t, [POLICY]);
  const { code, out } = await as('viewer', 'images', 'show', 'acme/job');
  assert.equal(code, 0);
  assert.match(
    out,
    /^ghcr\.io\/acme\/job:3 {2}Not compliant\nsha256:0+c3\nthe next admission would be denied if policy base enforced: vulnerabilities at or/,
  );
  assert.match(out, /system: alpine 3\.10, at its end of life/);
  assert.match(out, /\nSeen\nnamespace .*\nci +2026-11-20 06:00 +admitted +ghcr\.io\/acme\/job:3 +root\n/);
  assert.match(out, /\nPolicies now\n.*\nbase +Audit +ci +denies: threshold +vulnerabilities/);
  assert.match(out, /\n2 findings\n.*\nCRITICAL +CVE-1 +openssl +1\.0 +1\.1 +yes *\nLOW +CVE-2 /);
  const digest = digestOf(0xc3);
  const body = (await api.as('viewer').json('GET /images/{digest}', { params: { digest } })).text;
  assert.equal((await as('viewer', 'images', 'show', digest, '-o', 'json')).out, `${body}\n`);
  assert.match(
    (await as('viewer', 'images', 'show', digest, '-o', 'markdown')).out,
    /^## `ghcr\.io\/acme\/job:3`: Not compliant\n/,
  );
});

test('a name with only a digest stands without it above the digest, so that the state is seen', async (t) => {
  const { api } = await startCli(t, [POLICY]);
  const digest = digestOf(0xc3);
  const { body } = await api
    .as('viewer')
    .json<ImageDetailBody>('GET /images/{digest}', { params: { digest } });
  const plain = await openPaint({ color: false, columns: 100 });
  const [first, second] = imageDetailViews({ ...body, name: `ghcr.io/acme/job@${digest}` }).table(plain);
  assert.deepEqual([first, second], ['ghcr.io/acme/job  Not compliant', digest]);
});

test('a list that goes to a file or another program cuts no name', async (t) => {
  const { api } = await startCli(t, [POLICY]);
  const { body } = await api.as('viewer').json<ImageListBody>('GET /images');
  const name = `ghcr.io/acme/job@${digestOf(0xc3)}`;
  const items = body.items.map((item) => ({ ...item, name }));
  const views = imageListViews({ ...body, items });
  const lines = async (whole: boolean) =>
    views.table(await openPaint({ color: false, columns: 100, whole })).join('\n');
  assert.ok((await lines(true)).includes(name));
  assert.ok(!(await lines(false)).includes(name));
});

test('on a narrow terminal the digest gives its room to the names of images, unless two have one name', async (t) => {
  const { api } = await startCli(t, [POLICY]);
  const { body } = await api.as('viewer').json<ImageListBody>('GET /images');
  const narrow = await openPaint({ color: false, columns: 80 });
  const heading = (list: ImageListBody) => imageListViews(list).table(narrow)[2] ?? '';
  assert.match(heading(body), /^state +image +crit +high +KEV +gate$/);
  const same = body.items.map((item) => ({ ...item, name: 'ghcr.io/acme/web:1' }));
  assert.match(heading({ ...body, items: same }), /^state +image +digest +crit/);
});

test('an image is found by a part of its name, as long as that means one', async (t) => {
  const { as } = await startCli(t);
  assert.match((await as('viewer', 'images', 'show', 'acme/web:2')).out, /^ghcr\.io\/acme\/web:2 /);
  const several = await as('viewer', 'images', 'show', 'acme/web');
  assert.equal(several.code, 2);
  assert.match(
    several.err,
    /acme\/web matches 2 images: ghcr\.io\/acme\/web:2 sha256:0+, ghcr\.io\/acme\/web:1/,
  );
  const none = await as('viewer', 'images', 'show', 'mysql');
  assert.equal(none.code, 1);
  assert.match(none.err, /no known image matches mysql/);
  assert.match(
    (await as('viewer', 'images', 'show', `sha256:${'f'.repeat(64)}`)).err,
    /no image with the digest sha256:f+ is known/,
  );
});

test('ipo images scan puts images into the queue, and exits with 1 for one that is not known', async (t) => {
  const { as, api } = await startCli(t);
  const all = await as('deployer', 'images', 'scan', '--unscanned', 'quay.io/acme/tool:4', '-o', 'json');
  assert.deepEqual(
    [all.code, JSON.parse(all.out)],
    [0, { queued: [digestOf(0xd4)], already_queued: [], unknown: [] }],
  );
  const stranger = digestOf(0xff);
  const again = await as('deployer', 'images', 'scan', digestOf(0xd4), stranger);
  assert.equal(again.code, 1);
  assert.match(
    again.out,
    /queued already\nsha256:0+ff +not known\n0 scans queued, 1 queued already, 1 not known\n$/,
  );
  assert.equal((await as('deployer', 'images', 'scan')).code, 2);
  assert.equal((await as('viewer', 'images', 'scan', digestOf(0xd4))).code, 3);
  assert.deepEqual(
    (await api.audited()).map(([action]) => action),
    ['rescan', 'rescan'],
  );
});

test('what stands in names and reasons cannot speak to the terminal', async (t) => {
  const { as, store } = await startCli(t, [POLICY]);
  await store.write((transaction) =>
    transaction
      .insertInto('image_names')
      .values({ digest: digestOf(0xd4), name: 'evil\u001b[31m\n::error::x', last_seen_at: 9e15 })
      .execute(),
  );
  await store.write((transaction) =>
    transaction.updateTable('image_states').set({ judged_for: null }).execute(),
  );
  for (const args of [['list'], ['show', digestOf(0xd4)]]) {
    const { out } = await as('viewer', 'images', ...args);
    assert.ok(!out.includes('\u001b') && !out.includes('\n::error'));
    assert.match(out, /evil/);
  }
});

test('a service that scans nothing says so of scans that are asked for', async (t) => {
  const running = await startRunning(t);
  const digest = digestOf(0xd4);
  await running.as('deployer').json('POST /scans', {
    body: {
      ...{ SchemaVersion: 2, CreatedAt: '2026-11-20T05:00:00Z', ArtifactName: 'ghcr.io/acme/web:1' },
      ...{ ArtifactType: 'container_image', Metadata: { RepoDigests: [`ghcr.io/acme/web@${digest}`] } },
      Results: [{ Target: 'web', Class: 'os-pkgs', Type: 'alpine', Vulnerabilities: [] }],
    },
  });
  const env = { IPO_SERVER: running.url, IPO_TOKEN: running.secretOf('deployer') ?? '' };
  const asked = await ipo(['images', 'scan', digest], { env });
  assert.equal(asked.code, 0, asked.err);
  assert.match(asked.out, /1 scan queued/);
  assert.match(asked.err, /this service has no scanner.*scanner\.kind.*ipo scan import/);
  assert.equal((await ipo(['images', 'scan', digest, '--quiet'], { env })).err, '');
});
