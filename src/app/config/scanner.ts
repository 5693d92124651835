import { z } from 'zod';
import { isLoopback, Secret } from '../../base/index.ts';
import { duration, path } from './parts.ts';

const repository = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]*(?::\d+)?(?:\/[a-z0-9._-]+)+(?::[\w.-]{1,128})?$/i, {
      error: 'must be a repository such as registry.example.com/trivy-db:2',
    })
    .max(512)
    .meta({ description, format: 'HOST/PATH:TAG' })
    .optional();

const server = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const issue = (message: string): void => context.addIssue({ code: 'custom', message });
    if (url === null || !/^https?:$/.test(url.protocol))
      issue('must be an address such as https://trivy.example.com');
    else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      issue('must hold no password, no ? and no #; the token is scanner.serverToken');
    else if (
      url.protocol === 'http:' &&
      !isLoopback(url.hostname) &&
      !/\.svc(?:\.|$)|^[^.:]+$/.test(url.hostname)
    )
      issue(
        'must be https; plain HTTP is for this machine and for Services of the cluster (NAME.NAMESPACE.svc)',
      );
  })
  .meta({
    description:
      'Server of Trivy that looks packages up, as `trivy server` is one. Unset: this machine does, with a database of its own',
    format: 'address',
  })
  .optional();

/** scannerSettings say how images are scanned. */
export const scannerSettings = z
  .strictObject({
    kind: z.enum(['auto', 'trivy', 'grype', 'off']).default('auto').meta({
      description:
        'Scanner for images without a scan: `trivy` or `grype`, programs that must be installed; `auto` is Trivy if it is in the PATH; `off` scans nothing, and takes only imported reports',
    }),
    program: path('The program of the scanner. Unset: `trivy` or `grype` in the PATH').optional(),
    server,
    serverToken: z
      .string()
      .min(1)
      .max(4096)
      .meta({ description: 'Token for the server of Trivy', secret: true })
      .transform((text) => new Secret(text))
      .optional(),
    directory: path(
      'Directory for the vulnerability database, and for what scans leave while they run; some gigabytes. Unset: `scanner` in `data`, else a temporary one',
    ).optional(),
    atOnce: z
      .int()
      .min(1)
      .max(16)
      .default(2)
      .meta({ description: 'Scans that one replica makes at once, at most' }),
    timeout: duration('30s', '10m', '5m', 'How long one scan may take'),
    platform: z
      .string()
      .regex(/^[a-z0-9]+\/[a-z0-9]+(?:\/[a-z0-9]+)?$/, { error: 'must be a platform such as linux/amd64' })
      .default('linux/amd64')
      .meta({
        description:
          'Platform of the images that are scanned of an index where no nodes are known; else those of the nodes count',
        format: 'OS/ARCHITECTURE',
      }),
    memory: z.int().min(128).max(65_536).default(512).meta({
      description:
        'MiB that one scan should keep within; it is slower near it, and goes beyond it where it must',
    }),
    rescanAfter: duration(
      '1h',
      '720h',
      '6h',
      'An image in use is scanned again once the vulnerability database is newer than the one of its scan, and its scan is so old',
    ),
    usedWithin: duration(
      '1h',
      '8760h',
      '168h',
      'An image that neither ran nor was reviewed for so long is not scanned again',
    ),
    update: z.boolean().default(true).meta({
      description:
        'Whether the vulnerability database is downloaded every 6 hours. Off: somebody else puts it into the directory (as `db` of `trivy --cache-dir` in `cache`, or as the cache of Grype in `db`)',
    }),
    databaseRepository: repository(
      'Repository from which Trivy’s vulnerability database is downloaded. Unset: Trivy’s own',
    ),
    javaDatabaseRepository: repository(
      'Repository from which Trivy’s index of Java archives is downloaded. Unset: Trivy’s own',
    ),
  })
  .prefault({});

/** ScannerSettings are they. */
export type ScannerSettings = z.output<typeof scannerSettings>;
