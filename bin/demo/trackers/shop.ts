import { createHash } from 'node:crypto';

/** Image is an image of the made-up shop. */
export interface Image {
  readonly name: string;
  readonly digest: string;
  readonly workload: string;
}

/** Flaw is a critical finding of it. */
export interface Flaw {
  readonly cve: string;
  readonly package: string;
  readonly installed: string;
  readonly fixed: string | null;
}

/** The namespace and the cluster that the shop runs in. */
export const NAMESPACE = 'shop';
export const CLUSTER = 'shop-prod-eu1';

const REGISTRY = 'registry.shop.example/shop';

function image(repository: string, tag: string): Image {
  const digest = createHash('sha256').update(`${repository}:${tag}`).digest('hex');
  return {
    name: `${REGISTRY}/${repository}:${tag}`,
    digest: `sha256:${digest}`,
    workload: `deployment/${repository}`,
  };
}

/** The images, by what they are called in the story. */
export const CHECKOUT = image('checkout', '2.3.1');
export const CHECKOUT_NEXT = image('checkout', '2.4.0');
export const CART = image('cart', '1.9.0');

/** What the first scan of the checkout finds. */
export const CHECKOUT_FLAWS: readonly Flaw[] = [
  ['CVE-2026-21034', 'libssl3', '3.0.15-1', '3.0.17-1'],
  ['CVE-2026-21877', 'libexpat1', '2.5.0-1', '2.6.4-1'],
  ['CVE-2026-20911', 'zlib1g', '1:1.2.13', '1:1.3.1'],
  ['CVE-2026-22340', 'libxml2', '2.9.14', '2.9.15'],
  ['CVE-2026-19804', 'perl-base', '5.36.0-7', null],
  ['CVE-2026-23015', 'protobufjs', '7.2.4', '7.5.0'],
  ['CVE-2026-21790', 'libgnutls30', '3.7.9-2', '3.7.9-5'],
].map(toFlaw);

/** What a later scan of the cart finds. */
export const CART_FLAWS: readonly Flaw[] = [
  ['CVE-2026-24110', 'golang.org/x/crypto', 'v0.31.0', 'v0.45.0'],
  ['CVE-2026-24377', 'libpq5', '15.10-0', '15.15-0'],
].map(toFlaw);

function toFlaw([cve = '', name = '', installed = '', fixed]: readonly (string | null)[]): Flaw {
  return { cve: cve ?? '', package: name ?? '', installed: installed ?? '', fixed: fixed ?? null };
}

/** How old the database is that the shop scans with: six hours. */
const DATABASE_AGE = 6 * 3_600_000;

/** reportOf is a report of Trivy on an image. */
export function reportOf({ name, digest }: Image, flaws: readonly Flaw[], at: number): unknown {
  const [repository = ''] = name.split(/:(?=[^/]*$)/);
  return {
    SchemaVersion: 2,
    CreatedAt: new Date(at).toISOString(),
    ArtifactName: name,
    ArtifactType: 'container_image',
    Trivy: {
      Version: '0.72.0',
      // As with a server of Trivy: without the age of the database no scan proves anything fixed.
      Server: { VulnerabilityDB: { Version: 2, UpdatedAt: new Date(at - DATABASE_AGE).toISOString() } },
    },
    Metadata: {
      OS: { Family: 'debian', Name: '12.12' },
      RepoTags: [name],
      RepoDigests: [`${repository}@${digest}`],
    },
    Results: [
      {
        Target: `${name} (debian 12.12)`,
        Class: 'os-pkgs',
        Type: 'debian',
        Vulnerabilities: flaws.map((flaw) => ({
          VulnerabilityID: flaw.cve,
          PkgName: flaw.package,
          InstalledVersion: flaw.installed,
          ...(flaw.fixed !== null && { FixedVersion: flaw.fixed }),
          Severity: 'CRITICAL',
        })),
      },
    ],
  };
}
