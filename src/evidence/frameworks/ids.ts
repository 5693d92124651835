/** FRAMEWORK_IDS are the frameworks that requirements are read from, in the order in which they are shown. */
export const FRAMEWORK_IDS = [
  'nist-800-53',
  'nist-800-190',
  'nist-ssdf',
  'nist-csf',
  'cis-kubernetes',
  'pci-dss',
  'iso-27001',
  'soc2',
  'hipaa',
  'fedramp',
  'nis2',
  'dora',
  'essential-eight',
] as const;

/** FrameworkId names a framework. */
export type FrameworkId = (typeof FRAMEWORK_IDS)[number];
