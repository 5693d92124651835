import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse, parseDocument } from 'yaml';
import { Blobs, MANIFEST } from '../image/blobs.ts';
import type { Architecture } from '../image/pins.ts';
import { put, putFolder, toTar, type Tree } from '../image/tree.ts';
import { toChanges } from './changes.ts';

const CHART = 'charts/image-policy-operator';

/** What the chart says of the release that it belongs to. */
export interface ChartOf {
  readonly root: string;
  readonly version: string;
  /** Where the image and the chart are pushed; null where that is not known. */
  readonly registry: string | null;
  /** Digest of the image. */
  readonly digest: string;
  readonly architectures: readonly Architecture[];
  /** Where the sources are, and where the files of the release are downloaded; null where that is not known. */
  readonly source: string | null;
  readonly download: string | null;
  /** SHA-256 of the key that signs, as it stands in the release; null where none is given. */
  readonly keyFingerprint: string | null;
  /** Seconds. */
  readonly time: number;
}

/** packChart packs the chart as `helm package` does, with the version and the digest of the image that it installs. */
export async function packChart(of: ChartOf): Promise<Buffer> {
  const { root, time } = of;
  const tree: Tree = new Map();
  putFolder(tree, 'image-policy-operator', join(root, CHART));
  put(tree, 'image-policy-operator/Chart.yaml', toChartYaml(of));
  for (const name of ['values.yaml', 'files/defaults.yaml']) {
    const values = readFileSync(join(root, CHART, name), 'utf8');
    put(tree, `image-policy-operator/${name}`, withImage(values, of, name));
  }
  return gzipSync(await toTar(tree, time), { level: 9 });
}

/** toChartYaml is Chart.yaml with what only the release knows. */
export function toChartYaml(of: ChartOf): string {
  const { root, version, source, download, keyFingerprint } = of;
  const chart = parseDocument(readFileSync(join(root, CHART, 'Chart.yaml'), 'utf8'));
  chart.commentBefore = null;
  chart.set('version', version);
  chart.set('appVersion', version);
  if (source !== null) chart.set('sources', [source]);
  if (download !== null) chart.set('icon', `${download}/icon.svg`);
  const note = (name: string, value: unknown): void =>
    chart.setIn(
      ['annotations', `artifacthub.io/${name}`],
      typeof value === 'string' ? value : JSON.stringify(value),
    );
  note('images', [
    {
      name: 'image-policy-operator',
      image: `${of.registry === null ? '' : `${of.registry}/`}image-policy-operator@${of.digest}`,
      platforms: of.architectures.map((name) => `linux/${name}`),
    },
  ]);
  note('prerelease', String(version.includes('-')));
  note('changes', toChanges(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version));
  if (keyFingerprint !== null && download !== null)
    note('signKey', { fingerprint: keyFingerprint, url: `${download}/ipo.pub` });
  if (source !== null)
    note('links', [
      { name: 'support', url: `${source}/issues` },
      { name: 'Changelog', url: `${source}/blob/v${version}/CHANGELOG.md` },
      { name: 'How releases are signed', url: `${source}/blob/v${version}/SECURITY.md` },
    ]);
  return chart.toString({ lineWidth: 0 });
}

/** Puts registry and digest into the values of the image, which stand there empty. */
function withImage(values: string, { registry, digest }: ChartOf, name: string): string {
  const fill = (text: string, key: string, value: string): string => {
    const changed = text.replace(
      new RegExp(`^(image:\\n(?: {2}.*\\n)*? {2}${key}: )""$`, 'm'),
      (_, before: string) => `${before}${JSON.stringify(value)}`,
    );
    if (changed === text) throw new Error(`${CHART}/${name} has no image.${key} to fill in`);
    return changed;
  };
  const withDigest = fill(values, 'digest', digest);
  return registry === null ? withDigest : fill(withDigest, 'registry', registry);
}

/** writeChartLayout writes a packed chart as an OCI layout, so that it is signed by a digest that is known before it is pushed. Gives the digest. */
export function writeChartLayout(
  folder: string,
  chart: Buffer,
  of: { readonly chartYaml: string; readonly version: string; readonly created: string },
): string {
  const blobs = new Blobs(folder);
  const { name, description } = parse(of.chartYaml) as {
    readonly name: string;
    readonly description: string;
  };
  const manifest = blobs.putJson(MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: blobs.putJson('application/vnd.cncf.helm.config.v1+json', parse(of.chartYaml)),
    layers: [blobs.put('application/vnd.cncf.helm.chart.content.v1.tar+gzip', chart)],
    annotations: {
      'org.opencontainers.image.created': of.created,
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': of.version,
    },
  });
  blobs.finish(manifest, of.version);
  return manifest.digest;
}
