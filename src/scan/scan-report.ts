import type { Digest } from '../base/index.ts';
import type { ScanRecord } from '../findings/index.ts';

/** ScanReport is what one report of a scanner says of one artifact. */
export interface ScanReport {
  readonly file: string;
  /** As the scanner was told: an image reference, a directory, an archive. */
  readonly artifact: string;
  /** `container_image`, `filesystem`, `repository` and so on; empty where the scanner did not say. Only the first counts for an image. */
  readonly type: string;
  /** Normalised names with a tag (`docker.io/library/nginx:latest`) of a scanned image. */
  readonly names: readonly string[];
  /** The digests under which registries hold it, with the normalised name (`docker.io/library/nginx`). */
  readonly digests: readonly { readonly name: string; readonly digest: Digest }[];
  /** Digest of its configuration, which is not the digest that a reference names. */
  readonly imageId: string | null;
  /** The platform of the image that was scanned (`linux/arm64`); absent or null where the report does not say. */
  readonly platform?: string | null | undefined;
  /** The label `org.opencontainers.image.source`, or null. */
  readonly source: string | null;
  /** `findings` is null (unknown) when the report holds no result of a scan for vulnerabilities. */
  readonly scan: ScanRecord;
}
