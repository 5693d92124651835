/** What programs of others are told to call directly, beside the exceptions of the settings: a list of names cannot say more. */
const DIRECT = ['localhost', '127.0.0.0/8', '::1', '.svc', '.cluster.local'];

/** ProxySettings are the settings that a program of others is given by its environment. */
export interface ProxySettings {
  /** The address with its user name and password. */
  readonly address: string;
  readonly noProxy: readonly string[];
  /** Address or name of the cluster's API server; empty outside of a cluster. */
  readonly apiServer: string;
}

/** proxyEnvironment gives the variables by which a program of others, such as a scanner, calls through the same proxy. */
export function proxyEnvironment({
  address,
  noProxy,
  apiServer,
}: ProxySettings): Readonly<Record<string, string>> {
  const except = [...DIRECT, ...(apiServer === '' ? [] : [apiServer]), ...noProxy].join(',');
  return {
    // Both forms, since one of them may already be in the environment and take precedence.
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    NO_PROXY: except,
    http_proxy: address,
    https_proxy: address,
    no_proxy: except,
  };
}
