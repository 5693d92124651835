import type { Matrix } from '../../../src/advice/index.ts';
import { formatCount } from '../../../src/render/index.ts';
import { shortTime } from '../../../src/whatif/report/index.ts';

/** headOf says over what a matrix was made. */
export function headOf({ rows, images, workloads, base, as_of, days }: Matrix): string {
  const on = base === null ? 'a policy that denies nothing' : `the policy ${base}`;
  return `Each value by itself, on ${on}: ${formatCount(rows)} admissions, ${formatCount(workloads)} workloads and ${formatCount(images)} images in the ${days} days to ${shortTime(as_of)} UTC`;
}
