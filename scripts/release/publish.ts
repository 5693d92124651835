/** Where a release goes, and what signs it. */
export interface Target {
  readonly version: string;
  /** Repository of the image and of the chart, without a tag: `ghcr.io/acme`. */
  readonly registry: string;
  /** Digests of the image and of the chart. */
  readonly digest: string;
  readonly chartDigest: string;
  /** Folder with what the release wrote. */
  readonly folder: string;
  /** Key of the keyed signature, as cosign takes it: a file, or the address of a key management service. */
  readonly key: string;
  /** Services that signatures are logged at, as cosign takes them (`--signing-config`); null for those of Sigstore. */
  readonly signingConfig: string | null;
}

/**
 * publishSteps lists the programs that publish a release, in their order. The image is pushed first and signed before anything that
 * names it goes out; npm, which takes nothing back, is last.
 */
export function publishSteps(target: Target): string[][] {
  const { version, registry, folder } = target;
  const [image, chart] = [`${registry}/image-policy-operator`, `${registry}/charts/image-policy-operator`];
  const pushed = (from: string, to: string): string[] => [
    ...['oras', 'cp', '--from-oci-layout', `${folder}/${from}:${version}`, `${to}:${version}`],
  ];
  const npm = `${folder}/image-policy-operator-${version}.tgz`;
  return [
    pushed('image', image),
    ...signed(target, `${image}@${target.digest}`),
    ...attested(target, `${image}@${target.digest}`),
    pushed('chart', chart),
    ...signed(target, `${chart}@${target.chartDigest}`),
    ...signedSums(target),
    ['npm', 'publish', npm, '--provenance', '--access', 'public'],
  ];
}

/** How each signature is made: with the key, and by the identity of the build; the name goes into the file of its bundle. */
function ways({ key, signingConfig }: Target): { readonly name: string; readonly flags: string[] }[] {
  const shared = ['--yes', ...(signingConfig === null ? [] : ['--signing-config', signingConfig])];
  return [
    { name: 'key', flags: [...shared, '--key', key] },
    { name: 'keyless', flags: shared },
  ];
}

function signed(target: Target, digest: string): string[][] {
  return ways(target).map(({ flags }) => ['cosign', 'sign', ...flags, digest]);
}

function attested(target: Target, digest: string): string[][] {
  const statements = [
    ['cyclonedx', 'sbom.cdx.json'],
    ['slsaprovenance1', 'provenance.json'],
  ] as const;
  return ways(target).flatMap(({ flags }) =>
    statements.map(([type, file]) => [
      ...['cosign', 'attest', ...flags, '--type', type],
      ...['--predicate', `${target.folder}/${file}`, digest],
    ]),
  );
}

/** The sums of all files are signed; the bundles lie beside them, where `ipo release verify FILE` reads them. */
function signedSums(target: Target): string[][] {
  const sums = `${target.folder}/SHA256SUMS`;
  return ways(target).flatMap(({ name, flags }) => [
    ['cosign', 'sign-blob', ...flags, '--bundle', `${sums}.${name}.sigstore.json`, sums],
    [
      ...['cosign', 'attest-blob', ...flags, '--type', 'slsaprovenance1'],
      ...['--predicate', `${target.folder}/provenance.json`],
      ...['--bundle', `${sums}.provenance.${name}.sigstore.json`, sums],
    ],
  ]);
}
