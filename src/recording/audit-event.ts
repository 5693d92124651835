import { podImagesOf, podSpec, signalsOf, type ExposureIndex, type PodSpec } from '../pods/index.ts';
import type { Signal } from '../policy/index.ts';
import { parseTime } from '../base/index.ts';

/** PodEvent is an audit event that brought images into a cluster, or tried to. */
export interface PodEvent {
  readonly id: string;
  /** RFC 3339, and the same in milliseconds. */
  readonly time: string;
  readonly at: number;
  readonly verb: 'create' | 'update' | 'patch';
  readonly username: string;
  readonly namespace: string;
  readonly pod: string | null;
  readonly podUid: string | null;
  readonly subresource: string | null;
  /** What the pod is afterwards; of a denied update what it asked for. */
  readonly images: readonly { readonly container: string; readonly image: string }[];
  readonly signals: readonly Signal[];
  readonly exposedBy: string | null;
  /** The names that an update of unknown origin brought by itself; null where the whole pod is at hand. */
  readonly own: ReadonlySet<string> | null;
  /** The message of our denial; null where the pod was admitted. */
  readonly denied: string | null;
  /** What our webhook wrote into the event. */
  readonly notes: Readonly<Record<string, string>>;
}

/** PASSED are the reasons for which an event about pods gives no row. */
export const PASSED = [
  'metadata_level',
  'other_stage',
  'dry_run',
  'other_subresource',
  'denied_by_others',
  'not_carried_out',
  'no_images',
  'unreadable',
] as const;

/** Passed is one of them. */
export type Passed = (typeof PASSED)[number];

type Json = Readonly<Record<string, unknown>>;

/** OURS begins what our webhook's denials say, and the names of its notes in an event. */
const OURS = 'admission webhook "pods.ipo.dev" denied the request: ';
const NOTES = 'pods.ipo.dev/';

/** toPodEvent reads an event; null for one that is not about what pods run, else why it gives no row. */
export function toPodEvent(value: unknown, exposure: ExposureIndex): PodEvent | Passed | null {
  if (!isObject(value)) return 'unreadable';
  const reference = objectAt(value, 'objectRef');
  if (textAt(reference, 'resource') !== 'pods' || textAt(reference, 'apiGroup') !== '') return null;
  const verb = textAt(value, 'verb');
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch') return null;
  const subresource = textAt(reference, 'subresource') || null;
  const passed = passedBy(value, subresource);
  if (passed !== null) return passed;
  const code = objectAt(value, 'responseStatus')['code'];
  const denied = denialOf(value, code);
  if (denied === undefined) return code === 403 ? 'denied_by_others' : 'not_carried_out';
  if (!isObject(value['requestObject']) && !isObject(value['responseObject'])) {
    const level = textAt(value, 'level');
    return level === 'Request' || level === 'RequestResponse' ? 'no_images' : 'metadata_level';
  }
  // Server-side apply creates by a patch.
  const isCreated = verb === 'patch' && code === 201 && subresource === null;
  return toEvent(value, { verb: isCreated ? 'create' : verb, subresource, denied }, exposure);
}

/** Why an event is not an admission, whatever its answer was; else null. */
function passedBy(value: Json, subresource: string | null): Passed | null {
  if (subresource !== null && subresource !== 'ephemeralcontainers') return 'other_subresource';
  if (textAt(value, 'stage') !== 'ResponseComplete') return 'other_stage';
  return /[?&]dryRun=/.test(textAt(value, 'requestURI')) ? 'dry_run' : null;
}

/** The message of our own denial; null for a pod that was admitted, undefined for what failed for another reason. */
function denialOf(value: Json, code: unknown): string | null | undefined {
  if (code === 200 || code === 201) return null;
  const status = objectAt(value, 'responseStatus');
  const message = textAt(status, 'message') || textAt(objectAt(value, 'responseObject'), 'message');
  return message.startsWith(OURS) ? message.slice(OURS.length) : undefined;
}

function toEvent(
  value: Json,
  about: Pick<PodEvent, 'verb' | 'subresource' | 'denied'>,
  exposure: ExposureIndex,
): PodEvent | Passed {
  const response = objectAt(value, 'responseObject');
  const request = objectAt(value, 'requestObject');
  // A patch has a part of the pod only.
  const asked = about.verb === 'patch' ? null : request;
  const whole = textAt(response, 'kind') === 'Pod' ? response : asked;
  const object = whole ?? request;
  const metadata = objectAt(object, 'metadata');
  const reference = objectAt(value, 'objectRef');
  const read = podSpec.safeParse(object['spec'] ?? {});
  const time = textAt(value, 'requestReceivedTimestamp') || textAt(value, 'stageTimestamp');
  const at = parseTime(time);
  if (!read.success || Number.isNaN(at)) return 'unreadable';
  const namespace = shared(textAt(reference, 'namespace') || textAt(metadata, 'namespace'));
  const exposedBy = exposure.of(namespace, labelsOf(metadata));
  const requested = podSpec.safeParse(request['spec'] ?? {});
  return {
    ...about,
    id: textAt(value, 'auditID'),
    time,
    at,
    // Admission asks about who is acted as, not about who acts.
    username: shared(
      textAt(objectAt(value, 'impersonatedUser'), 'username') || textAt(objectAt(value, 'user'), 'username'),
    ),
    namespace,
    pod: textAt(metadata, 'name') || textAt(reference, 'name') || textAt(metadata, 'generateName') || null,
    podUid: textAt(metadata, 'uid') || null,
    images: podImagesOf(read.data).map(({ container, image }) => ({
      container: shared(container),
      image: shared(image),
    })),
    signals: signalsOf(read.data, exposedBy),
    exposedBy,
    own: about.verb === 'create' || !requested.success ? null : namesOf(requested.data),
    notes: notesOf(objectAt(value, 'annotations')),
  };
}

/** A patch of strategic merge holds only what it changes; an update holds everything, and says nothing of what it changes. */
function namesOf({ containers, initContainers, ephemeralContainers }: PodSpec): ReadonlySet<string> {
  return new Set(
    [...(containers ?? []), ...(initContainers ?? []), ...(ephemeralContainers ?? [])].flatMap(
      ({ name, image }) => (typeof image === 'string' && name ? [name] : []),
    ),
  );
}

function labelsOf(metadata: Json): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(objectAt(metadata, 'labels')).flatMap(([key, label]) =>
      typeof label === 'string' ? [[key, label]] : [],
    ),
  );
}

function notesOf(annotations: Json): Readonly<Record<string, string>> {
  const own = Object.entries(annotations).flatMap(([key, note]) =>
    key.startsWith(NOTES) && typeof note === 'string' ? [[key.slice(NOTES.length), note] as const] : [],
  );
  return Object.fromEntries(own);
}

/** Names and images stand in thousands of events: each is held once. */
const texts = new Map<string, string>();
const MOST_TEXTS = 100_000;

function shared(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= MOST_TEXTS) texts.clear();
  texts.set(text, text);
  return text;
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function objectAt(value: Json, key: string): Json {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

function textAt(value: Json, key: string): string {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}
