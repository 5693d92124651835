import { toSystemPackageUrl, type Finding, type OperatingSystem } from '../findings/index.ts';
import type { VexPackage } from '../vex/index.ts';

/**
 * foundPackage is the package of a finding as statements name it. Where the scanner wrote no package URL, a name that only one ecosystem
 * has tells the type, and else the operating system does; without one, no statement that is limited to packages of a type is about it.
 */
export function foundPackage(
  { package: name, installed, purl }: Pick<Finding, 'package' | 'installed' | 'purl'>,
  os: OperatingSystem | null,
): VexPackage {
  return {
    package: name,
    installed,
    purl: purl || byName(name) || (os === null ? null : toSystemPackageUrl(os.family, name)),
    distribution: os?.name ?? null,
  };
}

/** `golang.org/x/net`, `@scope/name`, `group:artifact`. */
function byName(name: string): string | null {
  const path = name.split('/').map(encodeURIComponent).join('/');
  if (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/[^:]+$/i.test(name)) return `pkg:golang/${path}`;
  if (/^@[^/:]+\/[^/:]+$/.test(name)) return `pkg:npm/${path}`;
  const artifact = /^([^/:\s]+):([^/:\s]+)$/.exec(name);
  return artifact === null
    ? null
    : `pkg:maven/${encodeURIComponent(artifact[1] ?? '')}/${encodeURIComponent(artifact[2] ?? '')}`;
}
