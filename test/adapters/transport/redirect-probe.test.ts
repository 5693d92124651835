import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProbe } from '../../../src/adapters/tracker-probe/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { TrackerError, type SetupProbe } from '../../../src/trackers/index.ts';
import { CANARY, startLoopback, stillLine } from './loopback.ts';

const CODES = [301, 302, 303, 307, 308] as const;
const TOKEN = new Secret(CANARY);

/** The reads of `channel setup`, each with the credential that it shows; `cloudId` shows none. */
const PROBES: readonly (readonly [string, (probe: SetupProbe, base: string) => Promise<unknown>])[] = [
  ['gitlabToken', (probe, base) => probe.gitlabToken(`${base}/api/v4`, TOKEN)],
  ...(['bot@example.com', null] as const).flatMap((email) => {
    const name = email === null ? 'a bearer token' : 'Basic';
    const at = (base: string) => ({ apiBaseUrl: base, email });
    return [
      [`jiraTakes with ${name}`, (probe, base) => probe.jiraTakes(at(base), TOKEN)],
      [`jiraLacks with ${name}`, (probe, base) => probe.jiraLacks(at(base), TOKEN, 'SEC', ['CREATE_ISSUES'])],
      [`jiraTypes with ${name}`, (probe, base) => probe.jiraTypes(at(base), TOKEN, 'SEC')],
      [`jiraRequired with ${name}`, (probe, base) => probe.jiraRequired(at(base), TOKEN, 'SEC', '10001')],
      [`jiraTransitions with ${name}`, (probe, base) => probe.jiraTransitions(at(base), TOKEN, 'SEC-1')],
    ] satisfies [string, (probe: SetupProbe, base: string) => Promise<unknown>][];
  }),
];

for (const code of CODES)
  test(`no read of the setup that is answered with ${code} goes on to another place, with or without its credential`, async (t) => {
    const other = await startLoopback(t, (_seen, response) => response.end('{}'));
    let place = '';
    const own = await startLoopback(t, (_seen, response) =>
      response.writeHead(code, { location: place }).end('moved'),
    );
    const probe = openProbe(stillLine());
    for (const to of [
      `${other.url}/rest/api/3/myself`,
      `${own.url}/elsewhere`,
      `//127.0.0.1:${other.port}/x`,
    ]) {
      place = to;
      for (const [name, ask] of PROBES) {
        const before = own.seen.length;
        await assert.rejects(ask(probe, own.url), (error) => {
          assert.ok(error instanceof TrackerError, `${name}: ${String(error)}`);
          assert.equal(error.fault, 'moved', name);
          assert.ok(!error.message.includes(CANARY), error.message);
          return true;
        });
        assert.equal(own.seen.length, before + 1, name);
      }
      assert.equal(await probe.cloudId(own.url), null);
      assert.ok(
        !JSON.stringify(own.seen.at(-1)).includes(CANARY),
        'the cloud id is asked for without a credential',
      );
    }
    assert.deepEqual([other.connections(), other.seen.length], [0, 0]);
  });
