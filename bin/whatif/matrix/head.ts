import type { Matrix } from '../../../src/advice/index.ts';
import { formatCount } from '../../../src/render/index.ts';

/** headOf says over what a matrix was made. */
export function headOf({ rows, images, workloads, base, as_of, days }: Matrix): string {
  const on = base === null ? 'a policy that denies nothing' : `the policy ${base}`;
  return `Each value by itself, on ${on}: ${formatCount(rows)} admissions, ${formatCount(workloads)} workloads and ${formatCount(images)} images, ${days} days to ${as_of}`;
}
