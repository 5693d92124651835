import { RegistryError, type ImageConfig } from '../../image/index.ts';
import { readJson, toPlatform, toTexts } from './manifest.ts';

const CONFIGS = [
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
];

/**
 * readConfig reads the configuration of an image. Throws RegistryError `unsupported` for that of an artifact, `unreadable` for what is
 * none. `what` names it for people.
 */
export function readConfig(bytes: Uint8Array, mediaType: string, what: string): ImageConfig {
  if (!CONFIGS.includes(mediaType))
    throw new RegistryError('unsupported', `${what} is not an image: its configuration is of another kind`);
  const fail = (why: string): never => {
    throw new RegistryError('unreadable', `the configuration of ${what} ${why}`);
  };
  const value = readJson(bytes) ?? fail('is not a JSON object in UTF-8');
  const { config, created } = value as { config?: { Labels?: unknown } | null; created?: unknown };
  return {
    platform: toPlatform(value),
    labels: toTexts(typeof config === 'object' && config !== null ? config.Labels : undefined, fail),
    created: typeof created === 'string' && created.length <= 64 ? created : null,
  };
}
