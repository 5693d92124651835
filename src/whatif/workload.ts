/** The letters of which Kubernetes makes the random part of a name: no vowels, no look-alikes. */
const MADE_UP = new Uint8Array(128);
for (const letter of 'bcdfghjklmnpqrstvwxz2456789') MADE_UP[letter.charCodeAt(0)] = 1;
const HYPHEN = 45;

/**
 * workloadOf gives a pod's name without the part that its controller made up: `cart-7d9f8b6c5-x2k9z` (Deployment),
 * `backup-29012345-x2k9z` (CronJob), `agent-x2k9z` (DaemonSet, Job) and `db-0` (StatefulSet) lose it; another name
 * stays. A name that ends in a hyphen, as `generateName` leaves it, loses the hyphen. No regular expressions: it
 * runs for every changed row.
 */
export function workloadOf(pod: string): string {
  const end = pod.length > 253 ? 253 : pod.length;
  const last = lastHyphen(pod, end);
  if (last <= 0) return pod.slice(0, end);
  if (last === end - 1) return pod.slice(0, last);
  const tail = end - last - 1;
  if (tail <= 4 && isAll(pod, last + 1, end, false)) return pod.slice(0, last);
  if (tail !== 5 || !isAll(pod, last + 1, end, true)) return pod.slice(0, end);
  const before = lastHyphen(pod, last);
  const middle = last - before - 1;
  if (before > 0) {
    const replicaSet = middle >= 6 && middle <= 10 && isAll(pod, before + 1, last, true);
    const cronJob = middle >= 8 && middle <= 10 && isAll(pod, before + 1, last, false);
    if (replicaSet || cronJob) return pod.slice(0, before);
  }
  return pod.slice(0, last);
}

function lastHyphen(text: string, end: number): number {
  for (let i = end - 1; i >= 0; i -= 1) if (text.charCodeAt(i) === HYPHEN) return i;
  return -1;
}

/** Whether all characters are made-up letters, or else decimal digits. */
function isAll(text: string, from: number, to: number, madeUp: boolean): boolean {
  for (let i = from; i < to; i += 1) {
    const code = text.charCodeAt(i);
    if (madeUp ? code > 127 || MADE_UP[code] !== 1 : code < 48 || code > 57) return false;
  }
  return true;
}
