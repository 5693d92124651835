import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLoopbackAddress, openAddressCheck } from '../../../src/adapters/transport/index.ts';
import { isForbiddenAddress } from '../../../src/channels/forbidden-address.ts';
import { runs } from '../../runs.ts';

const RULES = { testLoopback: false, privateNetworks: 'allow', denied: ['10.96.0.1'] } as const;

const NEVER = [
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '169.254.0.1',
  '192.0.0.192',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '10.96.0.1',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001::1',
  '2002:7f00:1::',
  '64:ff9b:1::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::FFFF:A9FE:A9FE',
  '::ffff:10.96.0.1',
  '::ffff:0:127.0.0.1',
  '::ffff:0:a9fe:a9fe',
  '::127.0.0.1',
  '::a9fe:a9fe',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '::ffff:0.0.0.0',
  '::2',
  '',
  'localhost',
  '127.1',
];

test('no address of this machine, of metadata services, of multicast or of tunnels is ever called', () => {
  const faultOf = openAddressCheck(RULES);
  for (const address of NEVER) assert.notEqual(faultOf(address), null, `${address} would be called`);
});

test('public and private addresses are called, since self-hosted trackers are private', () => {
  const faultOf = openAddressCheck(RULES);
  const open = [
    '140.82.112.6',
    '10.96.0.2',
    '172.16.3.4',
    '192.168.1.2',
    '100.64.0.1',
    '2606:50c0:8000::153',
    'fd12:3456::1',
    '64:ff9b::8c52:7006',
    '::ffff:140.82.112.6',
  ];
  for (const address of open) assert.equal(faultOf(address), null, `${address} is refused`);
});

test('private networks are refused where the service is told so, in every coat', () => {
  const faultOf = openAddressCheck({ ...RULES, privateNetworks: 'refuse' });
  for (const address of [
    '10.1.2.3',
    '172.31.255.1',
    '192.168.0.1',
    '100.127.0.1',
    '198.18.0.1',
    'fd12::1',
    '::ffff:10.1.2.3',
    '64:ff9b::10.1.2.3',
  ])
    assert.notEqual(faultOf(address), null, `${address} would be called`);
  assert.equal(faultOf('172.32.0.1'), null);
});

test('this machine is open under the setting for tests, and the rest stays closed', () => {
  const faultOf = openAddressCheck({ ...RULES, testLoopback: true });
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.equal(faultOf(address), null);
  for (const address of ['0.0.0.0', '::', '169.254.169.254', '10.96.0.1'])
    assert.notEqual(faultOf(address), null);
});

test('an address that is denied must be one', () => {
  assert.throws(() => openAddressCheck({ ...RULES, denied: ['kubernetes.default'] }), RangeError);
});

test('loopback is known in IPv6 coats too', () => {
  assert.deepEqual(
    ['127.9.9.9', '::1', '::ffff:127.0.0.1', '128.0.0.1', '::2', 'localhost'].map(isLoopbackAddress),
    [true, true, true, false, false, false],
  );
});

test('whatever a channel may not have as its address is refused where a name resolves to it', () => {
  const faultOf = openAddressCheck(RULES);
  const byte = fc.constantFrom(
    0,
    1,
    10,
    63,
    64,
    88,
    99,
    100,
    127,
    129,
    168,
    169,
    192,
    200,
    224,
    240,
    254,
    255,
  );
  const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
  const coat = fc.constantFrom(
    '',
    '::',
    '::ffff:',
    '::ffff:0:',
    '64:ff9b::',
    '2001::',
    'fd00:ec2::',
    'fe80::',
    'ff02::',
  );
  let forbidden = 0;
  fc.assert(
    fc.property(coat, ipv4, (before, inside) => {
      const address = `${before}${inside}`;
      if (!isForbiddenAddress(address)) return;
      // What was the form of IPv4 once is judged by what is inside, which is no less.
      if (before === '::' && !isForbiddenAddress(inside)) return;
      forbidden += 1;
      assert.notEqual(faultOf(address), null, address);
    }),
    { numRuns: runs(5000) },
  );
  assert.ok(forbidden > 500, String(forbidden));
});
