import type { Framework } from './framework.ts';
import { cisKubernetes } from './cis-kubernetes.ts';
import { dora } from './dora.ts';
import { essentialEight } from './essential-eight.ts';
import { fedramp } from './fedramp.ts';
import { hipaa } from './hipaa.ts';
import { iso27001 } from './iso-27001.ts';
import { nis2 } from './nis2.ts';
import { nist800190 } from './nist-800-190.ts';
import { nist80053 } from './nist-800-53.ts';
import { nistCsf } from './nist-csf.ts';
import { nistSsdf } from './nist-ssdf.ts';
import { pciDss } from './pci-dss.ts';
import { soc2 } from './soc2.ts';

/** FRAMEWORKS are all frameworks, in the order of FRAMEWORK_IDS. */
export const FRAMEWORKS: readonly Framework[] = [
  nist80053,
  nist800190,
  nistSsdf,
  nistCsf,
  cisKubernetes,
  pciDss,
  iso27001,
  soc2,
  hipaa,
  fedramp,
  nis2,
  dora,
  essentialEight,
];
