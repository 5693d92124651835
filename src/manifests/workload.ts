import type { Place } from '../policy/index.ts';
import type { IngressRoute, ServiceRoute, ContainerImage, PodSpec } from '../pods/index.ts';

/** PlacedImage is an image of a workload with its line in the file, from 1. */
export interface PlacedImage extends Omit<ContainerImage, 'path'>, Place {}

/** Workload is a pod, or what makes pods, of a manifest. */
export interface Workload extends Place {
  readonly file: string;
  /** From 1. */
  readonly document: number;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Of the pod: for a workload, of its template. */
  readonly labels: ReadonlyMap<string, string>;
  /** The reason of the annotation `ipo.dev/break-glass` on the pod, or null. */
  readonly breakGlassReason: string | null;
  readonly spec: PodSpec;
  readonly images: readonly PlacedImage[];
}

/** Skipped is an object that was not decided, and why. */
export interface Skipped {
  readonly file: string;
  readonly document: number;
  readonly line: number;
  /** With the group where it is not a kind of Kubernetes itself: `Service.serving.knative.dev`. */
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  /** Whether it seems to make pods, whose images therefore were not decided. */
  readonly makesPods: boolean;
}

/** Manifest is what one manifest file holds. */
export interface Manifest {
  readonly workloads: readonly Workload[];
  readonly services: readonly ServiceRoute[];
  readonly ingresses: readonly IngressRoute[];
  readonly skipped: readonly Skipped[];
}
