import { stringify } from 'yaml';
import type { Download } from './formula.ts';

/** toKrew writes the manifest of the kubectl plugin `ipo` for krew: the standalone program, for each processor that the release has one for. */
export function toKrew(from: {
  readonly version: string;
  readonly linux: Readonly<Record<'amd64' | 'arm64', Download | null>>;
}): string {
  const platforms = Object.entries(from.linux).flatMap(([arch, download]) =>
    download === null
      ? []
      : [
          {
            selector: { matchLabels: { os: 'linux', arch } },
            uri: download.url,
            sha256: download.sha256,
            files: ['ipo', 'LICENSE', 'LICENSE-NODE', 'THIRD-PARTY.txt'].map((name) => ({
              from: name,
              to: '.',
            })),
            bin: 'ipo',
          },
        ],
  );
  return stringify(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'ipo' },
      spec: {
        version: `v${from.version}`,
        homepage: 'https://ipo.dev',
        shortDescription: 'Preview and check image policies',
        description: `Records what runs in a cluster, suggests an image policy from it, and shows what a
draft would deny or allow before you apply it. It also checks images and manifests.
`,
        caveats: `Recording a cluster needs the rights to list pods and namespaces:

  kubectl ipo ledger record -o cluster.ndjson.gz
  kubectl ipo policy suggest --ledger cluster.ndjson.gz
`,
        platforms,
      },
    },
    { lineWidth: 0 },
  );
}
