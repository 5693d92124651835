import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAddressCheck } from '../../src/adapters/transport/index.ts';
import { openLine } from '../../src/app/trackers/tracker-line.ts';

const NAME = 'KUBERNETES_SERVICE_HOST';
const { [NAME]: before } = process.env;
after(() => {
  if (before === undefined) delete process.env[NAME];
  else process.env[NAME] = before;
});

function checkWith(host: string | undefined): (address: string) => string | null {
  if (host === undefined) delete process.env[NAME];
  else process.env[NAME] = host;
  return openAddressCheck(openLine({ testLoopback: false, privateNetworks: 'allow' }, 'test').rules);
}

test('the address of the API server of the cluster is never called', () => {
  for (const address of ['10.96.0.1', 'fd00:10:96::1']) {
    assert.match(checkWith(address)(address) ?? '', /never calls/);
    assert.equal(checkWith(undefined)(address), null);
  }
});

test('an API server that the cluster gives by its name, as some clouds do, keeps no tracker from being called', () => {
  const check = checkWith('api.cluster.example');
  assert.equal(check('10.96.0.2'), null);
});
