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
  const inside = insideV4(groups);
  return inside === null ? isForbiddenV6(groups) : isForbiddenV4(inside);
}

/** The address of IPv4 that an address of IPv6 carries, in each form that is routed to it; null where it carries none. */
function insideV4(groups: readonly number[]): number | null {
  const [first = 0, second = 0, third = 0, , fifth = 0, sixth = 0, seventh = 0, eighth = 0] = groups;
  const low = seventh * 0x10000 + eighth;
  const startsEmpty = groups.slice(0, 4).every((group) => group === 0);
  const isMapped = startsEmpty && fifth === 0 && sixth === 0xffff;
  const isTranslated = startsEmpty && fifth === 0xffff && sixth === 0;
  const isBehindTranslator = first === 0x64 && second === 0xff9b;
  if (isMapped || isTranslated || isBehindTranslator) return low;
  return first === 0x2002 ? second * 0x10000 + third : null; // 6to4
}

function isForbiddenV6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups;
  if (groups.slice(0, 6).every((group) => group === 0)) return true; // unspecified, loopback, and addresses of IPv4 as they were once written
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
