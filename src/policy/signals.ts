/** SIGNALS are the six of the deployment context, in the order of the service description. */
export const SIGNALS = [
  'privileged',
  'root',
  'hostNamespace',
  'hostFilesystem',
  'capabilities',
  'exposed',
] as const;

/** Signal is one way in which a pod is more dangerous than another. */
export type Signal = (typeof SIGNALS)[number];
