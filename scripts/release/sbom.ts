import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuid5 } from '../../src/base/index.ts';
import type { BundledPackage } from '../build/bundled.ts';
import { installedPackages } from '../image/app.ts';
import type { Architecture, Pins } from '../image/pins.ts';

interface Component {
  type: string;
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  licenses?: { expression: string }[];
  hashes?: { alg: string; content: string }[];
}

/** toSbom lists what is in the image as a CycloneDX 1.6 document: packages of Debian, Node.js, and each package that is bundled or installed. */
export function toSbom(from: {
  root: string;
  /** The built programs. */
  dist: string;
  version: string;
  revision: string;
  created: string;
  pins: Pins;
  architectures: readonly Architecture[];
}): string {
  const { root, dist, version, pins, architectures } = from;
  const components = new Map<string, Component>();
  const add = (component: Omit<Component, 'bom-ref'>): void => {
    components.set(component.purl, { ...component, 'bom-ref': component.purl });
  };
  for (const architecture of architectures) {
    for (const [name, pin] of Object.entries(pins.debian[architecture]))
      add({
        type: 'library',
        name,
        version: pin.version,
        purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(pin.version)}?arch=${architecture}&distro=debian-12`,
        hashes: [{ alg: 'SHA-256', content: pin.sha256 }],
      });
    const node = pins.node[architecture];
    add({
      type: 'application',
      name: 'node',
      version: node.version,
      purl: `pkg:generic/node@${node.version}?arch=${architecture}`,
      hashes: [{ alg: 'SHA-256', content: node.sha256 }],
    });
  }
  for (const { name, version: own, license } of npmPackages(root, dist))
    add({
      type: 'library',
      name,
      version: own,
      purl: `pkg:npm/${name.replace('@', '%40')}@${own}`,
      licenses: [{ expression: license }],
    });
  const purl = `pkg:npm/image-policy-operator@${version}`;
  const sorted = [...components.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: `urn:uuid:${uuid5(JSON.stringify([version, from.revision, sorted]))}`,
      version: 1,
      metadata: {
        timestamp: from.created,
        component: {
          type: 'application',
          'bom-ref': purl,
          name: 'image-policy-operator',
          version,
          purl,
          licenses: [{ expression: 'Apache-2.0' }],
          properties: [{ name: 'ipo:revision', value: from.revision }],
        },
      },
      components: sorted,
      dependencies: [{ ref: purl, dependsOn: sorted.map(({ purl: ref }) => ref) }],
    },
    null,
    2,
  )}\n`;
}

function npmPackages(root: string, dist: string): BundledPackage[] {
  const bundled = JSON.parse(readFileSync(join(dist, 'packages.json'), 'utf8')) as BundledPackage[];
  const installed = installedPackages(root).map((path) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, path, 'package.json'), 'utf8'),
    ) as BundledPackage;
    return { name, version, license };
  });
  return [...bundled, ...installed];
}
