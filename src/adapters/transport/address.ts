import { BlockList, isIP } from 'node:net';

/** AddressRules say which addresses a transport may connect to. */
export interface AddressRules {
  /** The process setting `trackers.testLoopback`: this machine, also over plain HTTP. Only for tests and the demo. */
  readonly testLoopback: boolean;
  /** Private networks; self-hosted trackers live there, so they are allowed unless the service is told otherwise. */
  readonly privateNetworks: 'allow' | 'refuse';
  /** Addresses that are never called, such as the cluster's API server. */
  readonly denied: readonly string[];
}

/** What no tracker can have: this network, link-local with the metadata services, multicast, reserved, and tunnels into IPv4. */
const NEVER = list(
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['100.100.100.200', 32], // metadata
  ['168.63.129.16', 32], // metadata
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['100::', 64],
  ['2001::', 32], // Teredo
  ['2002::', 16], // 6to4
  ['64:ff9b:1::', 48], // NAT64 of a local kind, which hides the IPv4 address
  ['fd00:ec2::', 32], // metadata
  ['fd20:ce::254', 128], // metadata
);
const LOOPBACK = list(['127.0.0.0', 8], ['::1', 128]);
const PRIVATE = list(
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['198.18.0.0', 15],
  ['fc00::', 7],
);

function list(...networks: readonly (readonly [string, number])[]): BlockList {
  const made = new BlockList();
  for (const [network, prefix] of networks)
    made.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4');
  return made;
}

/** isLoopbackAddress tells whether an address is this machine, also when IPv6 wraps it. */
export function isLoopbackAddress(address: string): boolean {
  const bare = unwrapped(address);
  return isIP(bare) !== 0 && has(LOOPBACK, bare);
}

/**
 * openAddressCheck makes the check of a resolved address: null when it may be called, else why not. IPv4 addresses inside IPv6
 * ones (mapped, translated, compatible, NAT64) are judged as the IPv4 address. Throws RangeError for a denied address that is none.
 */
export function openAddressCheck(rules: AddressRules): (address: string) => string | null {
  const denied = new BlockList();
  for (const one of rules.denied) {
    const bare = unwrapped(one);
    if (isIP(bare) === 0) throw new RangeError(`${one} is not a valid address`);
    denied.addAddress(bare, bare.includes(':') ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const bare = unwrapped(address);
    if (isIP(bare) === 0) return 'is not a valid address';
    if (has(LOOPBACK, bare)) return rules.testLoopback ? null : 'is this machine itself';
    if (has(NEVER, bare)) return 'is reserved, link-local or a metadata service';
    if (has(denied, bare)) return 'is an address that this service never calls';
    if (rules.privateNetworks === 'refuse' && has(PRIVATE, bare)) return 'is in a private network';
    return null;
  };
}

function has(networks: BlockList, address: string): boolean {
  return networks.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

/** The address without a zone; an IPv4 address in an IPv6 coat comes out of it. */
function unwrapped(address: string): string {
  const bare = address.replace(/%.*$/s, '').toLowerCase();
  if (isIP(bare) !== 6) return bare;
  const words = wordsOf(bare);
  const head = words.slice(0, 6).join(':');
  const [high = 0, low = 0] = words.slice(6);
  const coat =
    head === '0:0:0:0:0:65535' || // mapped
    head === '0:0:0:0:65535:0' || // translated
    head === '100:65435:0:0:0:0' || // NAT64
    (head === '0:0:0:0:0:0' && (high !== 0 || low > 1)); // compatible; `::` and `::1` are addresses of their own
  if (coat) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return head === '0:0:0:0:0:0' && high === 0 && low === 0 ? '0.0.0.0' : bare;
}

/** The eight 16-bit words of a valid IPv6 address. */
function wordsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const plain =
    dotted === null ? address : `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [left = '', right] = plain.split('::');
  const words = (side: string): number[] =>
    side === '' ? [] : side.split(':').map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(left), right === undefined ? [] : words(right)];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

function hex(high = '0', low = '0'): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}
