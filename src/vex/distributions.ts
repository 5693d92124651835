import type { Match } from './match.ts';
import type { Purl } from './purl.ts';

/** Names that tools write for one distribution, by the one that is compared. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  alma: ['almalinux'],
  amazon: ['amazonlinux', 'amzn'],
  opensuse: ['opensuse-leap', 'opensuse-tumbleweed'],
  oracle: ['ol', 'oraclelinux'],
  redhat: ['rhel'],
  rocky: ['rockylinux'],
  suse: ['sles', 'suse linux enterprise server'],
};
const SAME = new Map(Object.entries(ALIASES).flatMap(([name, others]) => others.map((one) => [one, name])));

/** Releases that go by a name. */
const CODENAMES: ReadonlyMap<string, string> = new Map([
  ...([
    ['stretch', '9'],
    ['buster', '10'],
    ['bullseye', '11'],
    ['bookworm', '12'],
    ['trixie', '13'],
    ['forky', '14'],
  ] as const),
  ...([
    ['trusty', '14.04'],
    ['xenial', '16.04'],
    ['bionic', '18.04'],
    ['focal', '20.04'],
    ['jammy', '22.04'],
    ['noble', '24.04'],
    ['resolute', '26.04'],
  ] as const),
]);

const ARCHITECTURES = new Map([
  ...(['noarch', 'any'] as const).map((one) => [one, 'all'] as const),
  ...([
    ['amd64', 'x86_64'],
    ['arm64', 'aarch64'],
    ['i386', 'x86'],
    ['i686', 'x86'],
  ] as const),
]);

/** Types whose namespace is the distribution or is in lower case whatever is written. */
const LOWERCASE: ReadonlySet<string> = new Set(['apk', 'composer', 'deb', 'golang', 'hex', 'npm', 'rpm']);

/** namespaceOf gives the namespace of a package URL as two are compared by it. */
export function namespaceOf({ type, namespace }: Purl): string {
  const name = LOWERCASE.has(type) ? namespace.toLowerCase() : namespace;
  return type === 'rpm' ? canonical(name) : name;
}

/**
 * matchDistribution tells whether the qualifier `distro` of a statement is the distribution of a package: `12` and `debian-12` are each
 * minor release of it, `debian-12.5` is that one. `other` is what is known of the package's.
 */
export function matchDistribution(stated: string, other: string | null, own: Purl): Match {
  if (other === null || other === '') return 'unknown';
  const [left, right] = [release(stated), release(other)];
  const family = canonical(own.namespace.toLowerCase());
  if ((left.family ?? family) !== (right.family ?? family)) return 'no';
  if (left.version === right.version) return 'yes';
  if (right.version.startsWith(`${left.version}.`)) return 'yes';
  return left.version.startsWith(`${right.version}.`) ? 'unknown' : 'no';
}

function release(text: string): { readonly family: string | null; readonly version: string } {
  const lower = text.toLowerCase();
  const match = /^(?:(.+?)-)?(v?\d[^-]*)$/.exec(lower);
  if (match !== null) {
    const family = match[1] ?? null;
    return { family: family === null ? null : canonical(family), version: match[2] ?? '' };
  }
  const last = lower.slice(Math.max(lower.lastIndexOf('-'), lower.lastIndexOf('/')) + 1);
  return { family: null, version: CODENAMES.get(last) ?? lower };
}

function canonical(name: string): string {
  return SAME.get(name) ?? name;
}

/** matchArchitecture tells whether the qualifier `arch` of a statement is the architecture of a package. */
export function matchArchitecture(stated: string, other: string | null): Match {
  if (stated === 'source' || stated === 'src') return 'yes'; // the source package was looked up by its name
  if (other === null) return 'unknown';
  return architecture(stated) === architecture(other) ? 'yes' : 'no';
}

function architecture(name: string): string {
  const lower = name.toLowerCase();
  return (ARCHITECTURES as ReadonlyMap<string, string>).get(lower) ?? lower;
}
