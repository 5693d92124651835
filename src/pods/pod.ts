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

/** podSpec reads of a pod's `spec` what images and signals need; other fields are ignored, `null` is unset. */
export const podSpec = z.object({
  containers: list(container),
  initContainers: list(container),
  ephemeralContainers: list(container),
  hostNetwork: flag,
  hostPID: flag,
  hostIPC: flag,
  // Where it may run: looked at only by node-platform.ts, and only where images differ by platform.
  nodeName: z.optional(z.unknown()),
  nodeSelector: z.optional(z.unknown()),
  affinity: z.optional(z.unknown()),
  os: z.optional(z.unknown()),
  securityContext: z.nullish(z.object({ runAsNonRoot: flag, runAsUser: z.nullish(z.int()), windowsOptions })),
  volumes: list(
    z.object({
      name: text,
      hostPath: z.nullish(z.unknown()),
      image: z.nullish(z.object({ reference: text })),
    }),
  ),
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

/** ImageRole tells what an image is there for: a container, or the files of a volume, which containers may run as well. */
export type ImageRole = ContainerRole | 'volume';

/** VOLUME begins the name under which the image of a volume is told; no container's name has a slash. */
export const VOLUME = 'volume/';

/** ContainerImage is one image that a pod needs. */
export interface ContainerImage<Role extends ImageRole = ImageRole> {
  /** Name of the container; of a volume, its name behind `volume/`. */
  readonly container: string;
  readonly role: Role;
  /** As written; empty when none is named. */
  readonly image: string;
  /** Where it stands below the pod's `spec`. */
  readonly path: readonly (string | number)[];
}

const LISTS = [
  ['initContainers', 'init'],
  ['containers', 'main'],
  ['ephemeralContainers', 'ephemeral'],
] as const;

/** imagesOf gives the image of every container of a pod in the order in which it would start them. */
function imagesOf(spec: PodSpec): ContainerImage<ContainerRole>[] {
  const images: ContainerImage<ContainerRole>[] = [];
  // By plain loops, as below: this runs for every review.
  for (const [field, role] of LISTS) {
    const containers = spec[field] ?? [];
    for (let i = 0; i < containers.length; i += 1) {
      const { name, image } = containers[i] as Container;
      images.push({ container: name ?? '', role, image: image ?? '', path: [field, i, 'image'] });
    }
  }
  return images;
}

/** podImagesOf gives every image that a pod brings to its node: those of its containers, then those of `volumes[].image`. */
export function podImagesOf(spec: PodSpec): ContainerImage[] {
  const images: ContainerImage[] = imagesOf(spec);
  (spec.volumes ?? []).forEach(({ name, image }, i) => {
    if (image === null || image === undefined) return;
    images.push({
      container: VOLUME + (name ?? ''),
      role: 'volume',
      image: image.reference ?? '',
      path: ['volumes', i, 'image', 'reference'],
    });
  });
  return images;
}

/** containersOf gives the containers of all three lists. */
export function containersOf(spec: PodSpec): Container[] {
  const containers: Container[] = [];
  for (const [field] of LISTS) for (const one of spec[field] ?? []) containers.push(one);
  return containers;
}
