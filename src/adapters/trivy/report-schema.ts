import * as z from 'zod/mini';

const text = z.nullish(z.string());
const MOST = 10_000;

/** SOURCE_LABEL names the repository that an image was made from. */
export const SOURCE_LABEL = 'org.opencontainers.image.source';

/** The length is looked at first: a list of millions of faults is not to be reported one by one. */
const texts = z.nullish(z.pipe(z.array(z.unknown()).check(z.maxLength(MOST)), z.array(z.string())));

/** trivyVulnerability is one entry of a result; only what a decision or a sentence uses is read. */
export const trivyVulnerability = z.object({
  VulnerabilityID: z.string().check(z.minLength(1)),
  PkgName: text,
  InstalledVersion: text,
  FixedVersion: text,
  Severity: text,
  // Since 0.48.
  PkgIdentifier: z.nullish(z.object({ PURL: text })),
});

/** TrivyVulnerability is such an entry as read. */
export type TrivyVulnerability = z.infer<typeof trivyVulnerability>;

/** trivyResult is what was found in one target, and what was hidden there; its entries are read one by one. */
export const trivyResult = z.object({
  Target: z.optional(z.unknown()),
  Class: text,
  Type: text,
  Vulnerabilities: z.nullish(z.array(z.unknown())),
  ExperimentalModifiedFindings: z.nullish(z.array(z.unknown())),
});

/** trivyReport is the JSON of `trivy image` and `trivy fs`, schema version 2; its results are read one by one. */
export const trivyReport = z.object({
  SchemaVersion: z.literal(2),
  CreatedAt: text,
  ArtifactName: text,
  ArtifactType: text,
  Trivy: z.nullish(z.object({ Version: text })),
  Metadata: z.nullish(
    z.object({
      OS: z.nullish(z.object({ Family: text, Name: text, EOSL: z.nullish(z.boolean()) })),
      ImageID: text,
      RepoTags: texts,
      RepoDigests: texts,
      Reference: text,
      ImageConfig: z.nullish(
        z.object({
          architecture: text,
          os: text,
          variant: text,
          config: z.nullish(z.object({ Labels: z.nullish(z.object({ [SOURCE_LABEL]: text })) })),
        }),
      ),
    }),
  ),
  Results: z.nullish(z.array(z.unknown())),
});

/** TrivyDocument is a report as read. */
export type TrivyDocument = z.infer<typeof trivyReport>;
