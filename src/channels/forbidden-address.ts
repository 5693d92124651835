import { isIPv4, isIPv6 } from 'node:net';

/** Networks where no tracker lives, or none that a credential may be sent to: first bits of the address, and how many. */
const FORBIDDEN_V4: readonly (readonly [network: number, bits: number])[] = [
  [0x00000000, 8], // this network
  [0x646464c8, 32], // credentials of machines of one cloud
  [0x7f000000, 8], // loopback
  [0xa83f8110, 32], // credentials of machines of another
  [0xa9fe0000, 16], // link-local, where clouds keep the credentials of their machines
  [0xc0000000, 24], // protocol assignments
  [0xc0586300, 24], // once 6to4
  [0xe0000000, 4], // multicast
  [0xf0000000, 4], // reserved, and broadcast
];

/**
 * isForbiddenAddress tells addresses of IPv4 or IPv6 (without brackets) that no call to a tracker may go to: this machine, link-local,
 * multicast and reserved ones, in every form that carries an IPv4 address inside. Private networks are not among them, since trackers of
 * one's own live there. False for what is not an address.
 */
export function isForbiddenAddress(address: string): boolean {
  if (isIPv4(address)) return isForbiddenV4(toNumber(address));
  if (!isIPv6(address) || address.includes('%')) return isIPv6(address);
  const groups = toGroups(address);
  const [first = 0, second = 0, third = 0, , , , seventh = 0, eighth = 0] = groups;
  const zeroes = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  const low = seventh * 0x10000 + eighth;
  if (zeroes(0, 6)) return true; // unspecified, loopback, and addresses of IPv4 as they were once written
  if (zeroes(0, 5) && groups[5] === 0xffff) return isForbiddenV4(low); // IPv4 in IPv6
  if (zeroes(0, 4) && groups[4] === 0xffff && groups[5] === 0) return isForbiddenV4(low); // translated
  if (first === 0x64 && second === 0xff9b) return isForbiddenV4(low); // behind a translator
  if (first === 0x2002) return isForbiddenV4(second * 0x10000 + third); // 6to4
  if (first === 0x2001 && second === 0) return true; // Teredo
  if (first === 0xfd00 && second === 0xec2) return true; // credentials of machines of another
  return (first & 0xffc0) === 0xfe80 || (first & 0xffc0) === 0xfec0 || (first & 0xff00) === 0xff00;
}

function isForbiddenV4(address: number): boolean {
  return FORBIDDEN_V4.some(([network, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor(network / size);
  });
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The eight groups of an address of IPv6, `::` filled up and a dotted end taken apart. */
function toGroups(address: string): number[] {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const low = toNumber(dotted?.[2] ?? '0.0.0.0');
  const text =
    dotted === null
      ? address
      : `${dotted[1]}${Math.floor(low / 0x10000).toString(16)}:${(low % 0x10000).toString(16)}`;
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = read(head);
  const after = read(tail ?? '');
  return tail === undefined
    ? before
    : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
