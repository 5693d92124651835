import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Role } from '../../src/accounts/index.ts';
import { runtimePolicyRoutes } from '../../src/api/routes/runtime-policies.ts';
import { openKeptPolicies } from '../../src/policy/index.ts';
import { RUNTIME_POLICIES } from '../../src/runtime/index.ts';
import { openStore, runtimePolicyStore } from '../../src/store/index.ts';
import { startApi } from '../api/service.ts';
import { scratchDirectory } from '../app/running.ts';
import { ipo } from './fake-terminal.ts';

const STOP = `apiVersion: ipo.dev/v1
kind: RuntimePolicy
metadata: { name: stop-dropped, labels: { team: shop } }
spec:
  match: { rules: [Drop and execute new binary in container] }
`;
const RULES = `apiVersion: ipo.dev/v1
kind: RuntimeRules
rules: [{ name: shells, action: notify }]
`;

async function serve(t: TestContext) {
  const directory = scratchDirectory(t);
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const runtimePolicies = openKeptPolicies(RUNTIME_POLICIES, {
    store: runtimePolicyStore(store),
    clock: { now: () => Date.UTC(2026, 10, 26, 6) },
  });
  const audit = { record: async () => {} };
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const { url } = await startApi(t, runtimePolicyRoutes({ runtimePolicies, audit, together }));
  const run = (args: readonly string[], role: Role = 'administrator', options = {}) =>
    ipo(['runtime', 'policy', ...args], {
      env: { IPO_SERVER: url, IPO_TOKEN: `${role}-token`, XDG_CONFIG_HOME: directory },
      ...options,
    });
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  return { run, file, directory, runtimePolicies };
}

test('a runtime policy is compared, applied, listed, printed as it was written, and deleted', async (t) => {
  const { run, file } = await serve(t);
  const stop = file('stop.yaml', `${STOP}---\n${RULES}`);
  const dry = await run(['apply', stop, '--dry-run', '--exit-code', '-o', 'json']);
  assert.equal(dry.code, 1);
  const [item] = JSON.parse(dry.out).items;
  assert.deepEqual([item.name, item.outcome], ['stop-dropped', 'would_create']);
  assert.match((await run(['list'])).out, /There is no runtime policy/);
  assert.match((await run(['apply', stop])).err, /needs confirmation/);
  const created = await run(['apply', stop, '--yes']);
  assert.deepEqual([created.code, created.out], [0, 'stop-dropped created\n']);
  const again = await run(['apply', stop, '--dry-run', '--exit-code']);
  assert.deepEqual([again.code, again.out], [0, 'stop-dropped is unchanged\n']);
  const list = await run(['list'], 'viewer');
  assert.match(list.out, /stop-dropped +Audit +immediate +the whole cluster +2026-11-26 06:00 +in effect/);
  const shown = await run(['show', 'stop-dropped', '-o', 'json'], 'viewer');
  assert.deepEqual(JSON.parse(shown.out).metadata, { name: 'stop-dropped', labels: { team: 'shop' } });
  const enforced = file('enforced.yaml', `${STOP}  enforcement: Enforce\n`);
  const updated = await run(['apply', enforced, '--yes']);
  assert.match(updated.err, /would be updated\n  spec\.enforcement  "Audit" → "Enforce"/);
  assert.equal(updated.out, 'stop-dropped updated\n');
  assert.equal((await run(['delete', 'stop-dropped', '--yes'], 'viewer')).code, 3);
  assert.equal((await run(['delete', 'stop-dropped', '--yes'])).out, 'stop-dropped deleted\n');
  const gone = await run(['show', 'stop-dropped']);
  assert.deepEqual([gone.code, /ipo runtime policy list/.test(gone.err)], [1, true], gone.err);
});

test('a directory is applied whole, a name that stands twice is refused, and so is a file without any', async (t) => {
  const { run, file, directory, runtimePolicies } = await serve(t);
  const folder = join(directory, 'runtime');
  mkdirSync(folder);
  file('runtime/a.yaml', STOP);
  file('runtime/b.yml', STOP.replace('stop-dropped', 'stop-shells'));
  assert.equal((await run(['apply', folder, '--yes'])).out, 'stop-dropped created\nstop-shells created\n');
  file('runtime/c.yaml', STOP);
  const twice = await run(['apply', folder, '--yes']);
  assert.deepEqual([twice.code, /is in .*a\.yaml too/.test(twice.err)], [2, true], twice.err);
  const none = await run(['apply', file('rules.yaml', RULES), '--yes']);
  assert.deepEqual([none.code, /no RuntimePolicy document/.test(none.err)], [2, true]);
  const wrong = await run(['apply', file('wrong.yaml', STOP.replace('match', 'mtach')), '--yes']);
  assert.match(wrong.err, /wrong\.yaml:5:3: unknown field "spec\.mtach" \(did you mean match\?\)/);
  assert.equal(wrong.code, 2);
  assert.equal((await run(['apply', join(directory, 'none.yaml'), '--yes'])).code, 3);
  assert.equal((await runtimePolicies.list({ limit: null, offset: 0 })).total, 2);
});
