import type { LivePod, StopEvent } from './stop-ports.ts';

/** The cluster keeps whole seconds of when a pod was created. */
const SECOND = 1000;
/** Digits of a container's id that Falco writes at least. */
const SHORT_ID = 12;

/**
 * standingOf says why the pod that has a name now is not one to stop for an event, or null: it is gone or going, or it is not surely the pod
 * that the event was about, running the image that the event was about. Names come back: the pods of a StatefulSet keep theirs.
 */
export function standingOf(event: StopEvent, pod: LivePod | null): 'gone' | 'changed' | null {
  if (pod === null) return 'gone';
  if (pod.uid !== event.podUid) return 'changed';
  if (pod.deleting) return 'gone';
  const runs = event.digest !== null && pod.digests.has(event.digest);
  return runs && isAbout(event, pod) ? null : 'changed';
}

/**
 * An event names its pod by uid or by the id of a container. One that has only the name may come late and be about the pod that had it
 * before, so that it has to be younger than the pod.
 */
function isAbout({ at, fields }: StopEvent, { uid, containers, createdAt }: LivePod): boolean {
  const named = fieldsOf(fields);
  const own = textOf(named, ['k8s.pod.uid', 'k8s.pod.id']);
  if (own !== null) return own === uid;
  const id = textOf(named, ['container.full_id', 'container.id']);
  if (id !== null && id !== 'host')
    return id.length >= SHORT_ID && containers.some((one) => one.startsWith(id));
  return at >= createdAt + SECOND;
}

function fieldsOf(text: string | null): Readonly<Record<string, unknown>> {
  return text === null ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}

function textOf(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  const found = names.map((name) => fields[name]);
  const known = found.find((value) => typeof value === 'string' && value !== '' && value !== '<NA>');
  return typeof known === 'string' ? known : null;
}
