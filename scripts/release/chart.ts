import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { put, putFolder, toTar, type Tree } from '../image/tree.ts';

const CHART = 'charts/image-policy-operator';

/** packChart packs the chart as `helm package` does, with the version and the digest of the image that it installs. */
export async function packChart(
  root: string,
  version: string,
  digest: string,
  time: number,
): Promise<Buffer> {
  const tree: Tree = new Map();
  putFolder(tree, 'image-policy-operator', join(root, CHART));
  const chart = readFileSync(join(root, CHART, 'Chart.yaml'), 'utf8')
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: ${version}`);
  put(tree, 'image-policy-operator/Chart.yaml', chart);
  for (const name of ['values.yaml', 'files/defaults.yaml']) {
    const values = readFileSync(join(root, CHART, name), 'utf8');
    put(tree, `image-policy-operator/${name}`, withDigest(values, digest, name));
  }
  return gzipSync(await toTar(tree, time), { level: 9 });
}

function withDigest(values: string, digest: string, name: string): string {
  const changed = values.replace(/^(image:\n(?: {2}.*\n)*? {2}digest: )""$/m, `$1"${digest}"`);
  if (changed === values) throw new Error(`${CHART}/${name} has no image.digest to fill in`);
  return changed;
}
