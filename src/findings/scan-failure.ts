/**
 * SCAN_FAILURES are the reasons why an image could not be scanned, each with what it means and what to do. The metric, the API, events,
 * reports and hints all name them as they stand here.
 */
export const SCAN_FAILURES = {
  not_found: {
    means: 'the registry has no such image',
    hint: 'Push the image again, or run one that is still there',
  },
  unauthorized: {
    means: 'the registry does not let the image be read',
    hint: 'Give the service a credential that may read the repository: registries.dockerConfigFile',
  },
  credentials: {
    means: 'the configured credential cannot be read',
    hint: 'Check the file that registries.dockerConfigFile names',
  },
  rate_limited: {
    means: 'the registry asks to slow down',
    hint: 'Give a credential for the registry, or name a mirror in registries.hosts',
  },
  certificate: {
    means: 'the certificate of the registry is not trusted',
    hint: 'Name its authority: registries.hosts[].caFile, or registries.caFile for all hosts',
  },
  refused: {
    means: 'the registry may not be called in this way',
    hint: 'Check plainHttp in registries.hosts: plain HTTP has to be allowed for a registry without TLS',
  },
  unreachable: {
    means: 'the registry does not answer',
    hint: 'Check the network, the proxy and the address of the registry',
  },
  bad_answer: {
    means: 'the registry does not answer as registries do',
    hint: 'Check the host: there may be no registry, or a proxy before it',
  },
  unsupported: {
    means: 'it is not an image that can be scanned, or has none for the platform of the nodes',
    hint: 'Build it for the platforms of the nodes; an artifact that is not an image cannot be scanned',
  },
  no_place: {
    means: 'no name is known under which a registry has the image',
    hint: 'Scan it elsewhere and bring the report in with ipo scan import',
  },
  timeout: { means: 'the scan took too long', hint: 'Raise scanner.timeout' },
  bad_report: {
    means: 'the scanner wrote no whole report of this image',
    hint: 'Check the version of the scanner; or scan it elsewhere and bring the report in with ipo scan import',
  },
  no_packages: {
    means: 'the scanner found no packages',
    hint: 'For an image that holds none: ipo triage add IMAGE --no-packages --reason TEXT',
  },
  crashed: {
    means: 'the scanner crashed',
    hint: 'Check scanner.memory and the memory of the pod; a newer scanner may read the image',
  },
  failed: {
    means: 'the scanner could not read the image',
    hint: 'Scan it by hand to see why; a newer scanner may read it',
  },
  scanner: {
    means: 'the scanner itself does not work',
    hint: 'See scanner and jobs in GET /api/v1/system/health',
  },
  interrupted: {
    means: 'no attempt came to an end',
    hint: 'Check whether the service is ended for lack of memory while it scans',
  },
} as const satisfies Readonly<Record<string, { readonly means: string; readonly hint: string }>>;

/** ScanFailureReason is one of them. */
export type ScanFailureReason = keyof typeof SCAN_FAILURES;

/** SCAN_FAILURE_REASONS lists them. */
export const SCAN_FAILURE_REASONS = Object.keys(SCAN_FAILURES) as readonly ScanFailureReason[];

/** SCAN_FAILURE_STATES: it is tried again at a time, it is being tried now, or nobody tries until somebody asks. */
export const SCAN_FAILURE_STATES = ['waiting', 'scanning', 'given_up'] as const;

/** ScanFailure is why the newest attempts to scan an image, or one of its platforms, failed. Times are UTC milliseconds. */
export interface ScanFailure {
  /** `linux/arm64`; null where no platform was chosen. */
  readonly platform: string | null;
  readonly reason: ScanFailureReason;
  /** A sentence without secrets, 400 characters at most. */
  readonly message: string;
  /** Since when no attempt succeeded, and when the newest failed. */
  readonly since: number;
  readonly lastAt: number;
  /** Attempts that failed since then. */
  readonly attempts: number;
  readonly state: (typeof SCAN_FAILURE_STATES)[number];
  /** When it is tried again; null unless it waits. */
  readonly againAt: number | null;
}

/** explainScanFailure says in a clause why an image is not scanned; the same for every attempt that fails for the same reason. */
export function explainScanFailure({
  platform,
  reason,
  message,
}: Pick<ScanFailure, 'platform' | 'reason' | 'message'>): string {
  const { means } = SCAN_FAILURES[reason];
  const where = platform === null ? '' : `${platform}: `;
  return message === means ? `${where}${means}` : `${where}${means}: ${message}`;
}
