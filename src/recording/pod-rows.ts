import { formatTime, type Digest } from '../base/index.ts';
import { pseudonymOf } from '../admission/index.ts';
import { labelOfSentence } from '../decision/index.ts';
import type { LedgerRow } from '../ledger/index.ts';
import { podImagesOf, signalsOf, type ExposureIndex } from '../pods/index.ts';
import type { PodEvent } from './audit-event.ts';
import type { ListedPod } from './cluster-objects.ts';

type Row = Omit<LedgerRow, 'id'>;

/** toRows gives the rows of a review that an audit log tells of: one for each image that it brought. */
export function toRows(event: PodEvent, images: PodEvent['images'], cluster: string | null): Row[] {
  const { namespace, pod, podUid, subresource, signals, exposedBy, denied, notes, username, time, id } =
    event;
  const shared = {
    kind: 'review',
    time,
    review_uid: id === '' ? null : id,
    cluster,
    namespace,
    pod,
    pod_uid: podUid,
    review_allowed: denied === null,
    policy_revision: '',
    signals,
    exposed_by: exposedBy,
    subresource,
    requester: pseudonymOf(username),
  };
  return images.map(({ container, image }): Row => ({
    ...shared,
    container,
    image,
    digest: null,
    ...verdictOf(event, container, images.length, notes),
  }));
}

/** What the message of a denial, or the notes of our webhook, say of one image. */
function verdictOf(
  { denied }: PodEvent,
  container: string,
  images: number,
  notes: PodEvent['notes'],
): Pick<Row, 'allowed' | 'reason' | 'label' | 'policy' | 'break_glass' | 'break_glass_reason'> {
  if (denied !== null) {
    const said = sentenceOn(denied, container);
    if (said === null) return { allowed: true, reason: '', label: null, policy: null };
    return { allowed: false, ...said, label: labelOfSentence(said.reason) };
  }
  const { 'break-glass': bypass, policy = null, label = null, reason = '' } = notes;
  if (bypass !== undefined)
    return { allowed: true, reason: '', label: null, policy, break_glass: true, break_glass_reason: bypass };
  // The notes of a pod report only its first denial: of several images nobody knows whose it is.
  return images === 1 && label !== null
    ? { allowed: true, reason, label, policy }
    : { allowed: true, reason: '', label: null, policy: null };
}

/** `container web: <sentence> (policy <name>)`, several behind each other. */
function sentenceOn(message: string, container: string): { reason: string; policy: string | null } | null {
  const place = container.startsWith('volume/')
    ? `volume ${container.slice(7)}: `
    : `container ${container}: `;
  const begins = message.startsWith(place) ? 0 : message.indexOf(`; ${place}`);
  if (begins === -1) return null;
  const from = begins + place.length + (message.startsWith(place) ? 0 : 2);
  const to = message.indexOf(' (policy ', from);
  if (to === -1) return { reason: message.slice(from), policy: null };
  const end = message.indexOf(')', to);
  return { reason: message.slice(from, to), policy: message.slice(to + 9, end === -1 ? undefined : end) };
}

/** podRows gives a row for each image of pods that are there, at the time at which each pod was created; oldest first. */
export function podRows(pods: readonly ListedPod[], cluster: string | null, exposure: ExposureIndex): Row[] {
  const sorted = pods.toSorted(
    (a, b) => a.createdAt - b.createdAt || (a.namespace + a.name < b.namespace + b.name ? -1 : 1),
  );
  return sorted.flatMap((pod) => {
    const { namespace, name, uid, labels, spec, createdAt } = pod;
    const exposedBy = exposure.of(namespace, labels);
    const signals = signalsOf(spec, exposedBy);
    return podImagesOf(spec).map(({ container, role, image }): Row => ({
      kind: 'review',
      time: formatTime(createdAt),
      cluster,
      namespace,
      pod: name,
      pod_uid: uid,
      container,
      image,
      digest: digestIn(pod, role, container),
      allowed: true,
      review_allowed: true,
      reason: '',
      policy_revision: '',
      signals,
      exposed_by: exposedBy,
    }));
  });
}

function digestIn({ digests }: ListedPod, role: string, container: string): Digest | null {
  return digests.get(`${role} ${container}`) ?? null;
}
