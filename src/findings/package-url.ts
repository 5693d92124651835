/** The type and the namespace of package URLs of what a system's own package manager installs, by the family as Trivy names it. */
const BY_FAMILY: Readonly<Record<string, readonly [type: string, namespace: string]>> = {
  alpine: ['apk', 'alpine'],
  chainguard: ['apk', 'chainguard'],
  wolfi: ['apk', 'wolfi'],
  debian: ['deb', 'debian'],
  ubuntu: ['deb', 'ubuntu'],
  alma: ['rpm', 'alma'],
  amazon: ['rpm', 'amazon'],
  azurelinux: ['rpm', 'azurelinux'],
  'cbl-mariner': ['rpm', 'cbl-mariner'],
  centos: ['rpm', 'centos'],
  fedora: ['rpm', 'fedora'],
  opensuse: ['rpm', 'opensuse'],
  'opensuse-leap': ['rpm', 'opensuse'],
  'opensuse-tumbleweed': ['rpm', 'opensuse'],
  oracle: ['rpm', 'oracle'],
  photon: ['rpm', 'photon'],
  redhat: ['rpm', 'redhat'],
  rocky: ['rpm', 'rocky'],
  'suse linux enterprise server': ['rpm', 'suse'],
};

/** toSystemPackageUrl makes the package URL of a package of an operating system, without a version; null for a family that is not known. */
export function toSystemPackageUrl(family: string, name: string): string | null {
  const key = family.toLowerCase();
  const system = Object.hasOwn(BY_FAMILY, key) ? BY_FAMILY[key] : undefined;
  return system === undefined || name === '' ? null : `pkg:${system.join('/')}/${encodeURIComponent(name)}`;
}
