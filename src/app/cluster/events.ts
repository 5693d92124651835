import type { ReviewEvent, ReviewEvents } from '../../admission/index.ts';
import type { ClusterEvents, ObjectRef } from '../../cluster/index.ts';
import type { RefusedCheckpoint } from '../../ledger/index.ts';
import type { PodEvent, PodEvents, UnscannableEvent } from '../../reconcile/index.ts';
import type { StopNotice, StopNotices } from '../../runtime/index.ts';

/** The reason of events that say why an image cannot be scanned. */
const SCAN_FAILED = 'ScanFailed';

const REVIEW_REASONS: Readonly<Record<ReviewEvent['kind'], string>> = {
  denied: 'ImageDenied',
  bypassed: 'BreakGlass',
  undecided: 'Undecided',
  unrecorded: 'Unrecorded',
  unscannable: SCAN_FAILED,
};

const POD_REASONS: Readonly<Record<PodEvent['kind'], string>> = {
  unreviewed: 'Unreviewed',
  refused: 'ImageRefused',
  withheld: 'StopWithheld',
  stopped: 'PodStopped',
};

const STOP_REASONS: Readonly<Record<StopNotice['kind'], string>> = {
  withheld: POD_REASONS.withheld,
  stopped: POD_REASONS.stopped,
  failed: 'StopFailed',
};

/**
 * toReviewEvents reports reviews as Events: on the pod; where there will be no such pod, on what makes it again and again under ever new
 * names, so that its tries are counted in one event; else on its namespace.
 */
export function toReviewEvents(events: ClusterEvents): ReviewEvents {
  return {
    happened({ kind, allowed, namespace, pod, podUid, owner, message }) {
      let regarding: ObjectRef = { apiVersion: 'v1', kind: 'Namespace', name: namespace, namespace };
      if (owner !== null) regarding = { ...owner, namespace };
      if (allowed && pod !== '')
        regarding = { apiVersion: 'v1', kind: 'Pod', name: pod, namespace, uid: podUid ?? undefined };
      events.emit({
        regarding,
        type: 'Warning',
        reason: REVIEW_REASONS[kind],
        action: 'Admit',
        note: allowed || pod === '' || owner !== null ? message : `pod ${pod}: ${message}`,
      });
    },
  };
}

/** toPodEvents reports pods that a sweep looked at as Events on them. */
export function toPodEvents(events: ClusterEvents): PodEvents {
  return {
    happened: ({ kind, namespace, pod, podUid, message }) =>
      events.emit({
        regarding: { apiVersion: 'v1', kind: 'Pod', name: pod, namespace, uid: podUid },
        type: 'Warning',
        reason: POD_REASONS[kind],
        action: 'Reconcile',
        note: message,
        // Each pod that was never reviewed gets an event, however many there are: nothing else told of them.
        always: kind === 'unreviewed',
      }),
  };
}

/** toStopNotices reports stops for events of the detector on what makes the pods again, else on the pod. */
export function toStopNotices(events: ClusterEvents): StopNotices {
  return {
    happened: ({ kind, namespace, pod, podUid, owner, message }) =>
      events.emit({
        regarding:
          owner === null
            ? { apiVersion: 'v1', kind: 'Pod', name: pod, namespace, uid: podUid }
            : { ...owner, namespace },
        type: 'Warning',
        reason: STOP_REASONS[kind],
        action: 'Stop',
        note: message,
      }),
  };
}

/**
 * toScanEvents reports running images that cannot be scanned as Events on what makes their pods, else on the pod; `dropped` as in
 * ClusterEvents.
 */
export function toScanEvents(events: ClusterEvents) {
  return ({ regarding, message }: UnscannableEvent, dropped: () => void): void =>
    events.emit({ regarding, type: 'Warning', reason: SCAN_FAILED, action: 'Scan', note: message }, dropped);
}

/**
 * toLedgerEvents reports anchors that hold another ledger as Events: on the ConfigMap where it is one, else on the operator's namespace.
 */
export function toLedgerEvents(events: ClusterEvents, own: string): (refusal: RefusedCheckpoint) => void {
  return ({ anchor, message }) => {
    const [, namespace = '', name = ''] = /^configmap:([^/]*)\/(.+)$/.exec(anchor) ?? [];
    const regarding: ObjectRef =
      name === ''
        ? { apiVersion: 'v1', kind: 'Namespace', name: own, namespace: own }
        : { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: namespace === '' ? own : namespace };
    events.emit({
      regarding,
      type: 'Warning',
      reason: 'CheckpointRefused',
      action: 'Anchor',
      note: `${anchor}: ${message}`,
    });
  };
}
