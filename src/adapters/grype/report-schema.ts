import * as z from 'zod/mini';

const text = z.nullish(z.string());
const MOST = 10_000;
const texts = z.nullish(z.pipe(z.array(z.unknown()).check(z.maxLength(MOST)), z.array(z.string())));

/** grypeMatch is one vulnerability in one package; its related ones name the CVE where it is an advisory. */
export const grypeMatch = z.object({
  vulnerability: z.object({
    id: z.string().check(z.minLength(1)),
    severity: text,
    fix: z.nullish(z.object({ versions: texts, state: text })),
  }),
  relatedVulnerabilities: z.nullish(
    z.pipe(
      z.array(z.unknown()).check(z.maxLength(1000)),
      z.array(z.object({ id: z.string().check(z.minLength(1)) })),
    ),
  ),
  artifact: z.object({ name: text, version: text, purl: text }),
});

/** grypeReport is the JSON of `grype -o json`; its matches are read one by one. */
export const grypeReport = z.object({
  matches: z.array(z.unknown()),
  source: z.nullish(z.object({ type: text, target: z.unknown() })),
  distro: z.nullish(z.object({ name: text, version: text })),
  descriptor: z.object({
    name: z.literal('grype'),
    version: text,
    timestamp: text,
    // Since 0.88 under `status`.
    db: z.nullish(z.object({ built: text, status: z.nullish(z.object({ built: text })) })),
  }),
});

/** grypeImage is the target of a scanned image. */
export const grypeImage = z.object({
  userInput: text,
  imageID: text,
  manifestDigest: text,
  architecture: text,
  os: text,
  tags: texts,
  repoDigests: texts,
  labels: z.nullish(z.record(z.string(), z.unknown())),
});

/** GrypeDocument is a report as read. */
export type GrypeDocument = z.infer<typeof grypeReport>;
