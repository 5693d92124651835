/** What a scanner may need of our environment: where programs, certificates and proxies are, and who the pod is in its cloud. */
const NAMES: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'XDG_RUNTIME_DIR', 'SYSTEMROOT'],
]);
/** Workload identity: how registries of Amazon and Azure are asked without a pull secret. */
const BEGINNINGS = ['AWS_', 'AZURE_'];

/**
 * childEnvironment gives what of our environment a scanner may see. Nothing of the service goes there: no password of its database, no
 * key. Nor do the scanner's own variables (`TRIVY_…`, `GRYPE_…`): one of them could leave findings out of every report.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && (NAMES.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning)))
        ? [[name, value] as const]
        : [],
    ),
  );
}
