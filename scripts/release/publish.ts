/** Where a release goes, and what signs it. */
export interface Target {
  readonly version: string;
  /** Repository of the image and of the chart, without a tag: `ghcr.io/acme`. */
  readonly registry: string;
  /** Digest of the image. */
  readonly digest: string;
  /** Folder with what the release wrote. */
  readonly folder: string;
  /** Key of the keyed signature, as cosign takes it: a file, or the address of a key management service. */
  readonly key: string;
}

/**
 * publishSteps lists the programs that publish a release, in their order. The image is pushed first and signed before anything that
 * names it goes out; npm, which takes nothing back, is last.
 */
export function publishSteps({ version, registry, digest, folder, key }: Target): string[][] {
  const image = `${registry}/image-policy-operator`;
  const signed = `${image}@${digest}`;
  const attest = (type: string, file: string, ...how: string[]): string[] => [
    ...['cosign', 'attest', '--yes', ...how],
    ...['--type', type, '--predicate', `${folder}/${file}`, signed],
  ];
  return [
    ['oras', 'cp', '--from-oci-layout', `${folder}/image:${version}`, `${image}:${version}`],
    ['cosign', 'sign', '--yes', '--key', key, signed],
    ['cosign', 'sign', '--yes', signed],
    attest('cyclonedx', 'sbom.cdx.json', '--key', key),
    attest('slsaprovenance1', 'provenance.json', '--key', key),
    attest('cyclonedx', 'sbom.cdx.json'),
    attest('slsaprovenance1', 'provenance.json'),
    ['helm', 'push', `${folder}/image-policy-operator-chart-${version}.tgz`, `oci://${registry}/charts`],
    [
      'cosign',
      'sign-blob',
      '--yes',
      '--key',
      key,
      '--bundle',
      `${folder}/SHA256SUMS.sigstore.json`,
      `${folder}/SHA256SUMS`,
    ],
    [
      'npm',
      'publish',
      `${folder}/image-policy-operator-${version}.tgz`,
      '--provenance',
      '--access',
      'public',
    ],
  ];
}
