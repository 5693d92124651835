import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import { openWriterQueues, parseBase, type AddressRules } from '../../../src/adapters/transport/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import { stillClock, startLoopback, toTransport } from './loopback.ts';

const RULES: AddressRules = { testLoopback: false, privateNetworks: 'allow', denied: [] };
const FORBIDDEN = [
  '127.0.0.1',
  '::1',
  '169.254.169.254',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '0.0.0.0',
  '10.96.0.1',
];

test('a name that resolves to this machine or a metadata service, on whichever of 1,000 look-ups, is never connected to', async (t) => {
  const trap = await startLoopback(t, (_seen, response) => response.end('{}'));
  let flips = 0;
  // Answers change with each look-up, and a forbidden address hides among open ones.
  const lookup: LookupFunction = (_host, options, callback) => {
    const bad = FORBIDDEN[flips % FORBIDDEN.length] ?? '';
    const place = flips % 3;
    flips += 1;
    const good = { address: '203.0.113.7', family: 4 };
    const hidden = { address: bad, family: bad.includes(':') ? 6 : 4 };
    const all = [[hidden], [good, hidden], [hidden, good]][place] ?? [];
    if (options.all === true) callback(null, all);
    else callback(null, bad, hidden.family);
  };
  const rules = { ...RULES, denied: ['10.96.0.1'] };
  const base = parseBase(`https://rebind.example:${trap.port}/api/v4`, rules);
  const clock = stillClock();
  const queue = openWriterQueues({ clock, wait: clock.wait }).of('rebind.example', new Secret('t'));
  const transport = toTransport('http://127.0.0.1:1', { base, rules, lookup, queue });
  for (let turn = 0; turn < 1000; turn += 1) {
    clock.pass(60_000);
    await assert.rejects(
      transport.send({ method: turn % 2 === 0 ? 'GET' : 'PUT', url: `${base.href}/projects/1`, body: '{}' }),
      (error) => error instanceof TrackerError && error.fault === 'address' && error.happened === 'no',
    );
  }
  assert.equal(flips, 1000);
  assert.equal(trap.connections(), 0);
});

test('the address that was checked is the one that is connected to, though the name flips right after', async (t) => {
  const server = await startLoopback(t, (_seen, response) => response.end('{"ok":true}'));
  const looked: string[] = [];
  const lookup: LookupFunction = (host, options, callback) => {
    const first = looked.length === 0;
    looked.push(host);
    const address = first ? '127.0.0.1' : '169.254.169.254';
    if (options.all === true) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
  const transport = toTransport(`http://localhost:${server.port}`, { lookup });
  const { text } = await transport.send({ method: 'GET', url: `${transport.base.href}x` });
  assert.equal(text, '{"ok":true}');
  assert.deepEqual(looked, ['localhost']);
  await assert.rejects(
    transport.send({ method: 'GET', url: `${transport.base.href}x` }),
    /169\.254\.169\.254/,
  );
  assert.equal(server.seen.length, 1);
});
