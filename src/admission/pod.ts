import * as z from 'zod/mini';
import { list, text, texts } from './bounded.ts';

const flag = z.nullish(z.boolean());
const windowsOptions = z.nullish(z.object({ hostProcess: flag }));

const container = z.object({
  name: text,
  image: text,
  ports: list(z.object({ hostPort: z.nullish(z.int()), containerPort: z.nullish(z.int()) })),
  securityContext: z.nullish(
    z.object({
      privileged: flag,
      runAsNonRoot: flag,
      runAsUser: z.nullish(z.int()),
      capabilities: z.nullish(z.object({ add: list(z.string()) })),
      windowsOptions,
    }),
  ),
});

/** podSpec reads of a pod's `spec` what images and signals need; other fields are left alone, `null` is unset. */
export const podSpec = z.object({
  containers: list(container),
  initContainers: list(container),
  ephemeralContainers: list(container),
  hostNetwork: flag,
  hostPID: flag,
  hostIPC: flag,
  securityContext: z.nullish(z.object({ runAsNonRoot: flag, runAsUser: z.nullish(z.int()), windowsOptions })),
  volumes: list(z.object({ hostPath: z.nullish(z.unknown()) })),
});

/** PodSpec is the `spec` of a pod or of a pod template. */
export type PodSpec = z.infer<typeof podSpec>;

/** Container is one container of any of the three lists. */
export type Container = z.infer<typeof container>;

/** objectMeta reads of an object's `metadata` what is used here. */
export const objectMeta = z.nullish(
  z.object({
    name: text,
    generateName: text,
    namespace: text,
    labels: texts(),
    annotations: texts(),
  }),
);

/** BREAK_GLASS is the annotation of a pod that asks to bypass; its value is the reason. */
export const BREAK_GLASS = 'ipo.dev/break-glass';

/** ContainerRole tells which of the three lists of a pod a container stands in. */
export type ContainerRole = 'init' | 'main' | 'ephemeral';

/** ContainerImage is one image that a pod runs. */
export interface ContainerImage {
  readonly container: string;
  readonly role: ContainerRole;
  /** As written; empty when the container names none. */
  readonly image: string;
  /** Where it stands below the pod's `spec`. */
  readonly path: readonly (string | number)[];
}

const LISTS = [
  ['initContainers', 'init'],
  ['containers', 'main'],
  ['ephemeralContainers', 'ephemeral'],
] as const;

/** imagesOf gives every image of a pod in the order in which it would start them. */
export function imagesOf(spec: PodSpec): ContainerImage[] {
  return LISTS.flatMap(([field, role]) =>
    (spec[field] ?? []).map(({ name, image }, i) => ({
      container: name ?? '',
      role,
      image: image ?? '',
      path: [field, i, 'image'],
    })),
  );
}

/** containersOf gives the containers of all three lists. */
export function containersOf(spec: PodSpec): Container[] {
  return LISTS.flatMap(([field]) => spec[field] ?? []);
}
