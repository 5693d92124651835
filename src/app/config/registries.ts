import { z } from 'zod';
import { parseMirror, parsePlatform, parseRegistryHost } from '../../image/index.ts';
import { path } from './parts.ts';

/** A host as references name it, with its port where it has one. */
const host = z
  .string()
  .max(255)
  .refine((text) => parseRegistryHost(text) !== null, {
    error: 'must be a registry such as registry.example.com:5000',
  });

/** `mirror.example.com:5000`, with a path before those of the images where it has one. */
const mirror = z
  .string()
  .max(512)
  .refine((text) => parseMirror(text) !== null, {
    error: 'must be HOST or HOST/PATH, such as mirror.example.com/hub',
  });

/** registrySettings say how registries are asked: what tags stand for, and what is attached to images. */
export const registrySettings = z
  .strictObject({
    hosts: z
      .array(
        z
          .strictObject({
            host,
            plainHttp: z.boolean().default(false),
            caFile: z.string().min(1).max(4096).optional(),
            mirrors: z.array(mirror).max(10).default([]),
            mirrorsOnly: z.boolean().default(false),
            tokenHosts: z.array(z.string().min(1).max(255)).max(10).default([]),
          })
          .refine(({ mirrors, mirrorsOnly }) => !mirrorsOnly || mirrors.length > 0, {
            path: ['mirrorsOnly'],
            error: 'is set, but no mirror is given',
          }),
      )
      .max(100)
      .refine((hosts) => new Set(hosts.map((one) => parseRegistryHost(one.host))).size === hosts.length, {
        error: 'names a host twice',
      })
      .default([])
      .meta({
        description:
          'Registries that need other than https with the certificate authorities of the system: `{host, plainHttp, caFile, mirrors, mirrorsOnly, tokenHosts}`. `mirrors` (`HOST[/PATH]`) are asked first, with `mirrorsOnly` only they; `tokenHosts` are token services of other domains that may get its credential',
        format: 'list of objects',
      }),
    caFile: path(
      'PEM file with authorities that are believed for every registry, beside those of the system',
    ).optional(),
    dockerConfigFile: path(
      'Credentials for registries, as a docker `config.json` (the key `.dockerconfigjson` of a Secret). Only `auths` counts: credential helpers are never run. Read again when it changes. Unset: registries are asked anonymously',
    ).optional(),
    tags: z.enum(['resolve', 'ignore']).default('resolve').meta({
      description:
        'Whether the webhook asks registries for the digest of a tag, within its time limit; `ignore` decides an image by tag without a digest',
    }),
    proofs: z.enum(['collect', 'ignore']).default('collect').meta({
      description:
        'Whether signatures, attestations, provenance and statements that are attached to images in use are read and verified; `ignore` leaves them unknown, which an admission takes as none',
    }),
    podSecrets: z.boolean().default(false).meta({
      description:
        'Whether the pull secrets of pods are used beside the credentials of the service; needs the right to `get` them',
    }),
    platform: z
      .string()
      .refine((text) => parsePlatform(text) !== null, {
        error: 'must be OS/ARCHITECTURE[/VARIANT], such as linux/arm64',
      })
      .meta({
        description:
          'Platform whose image is meant where a reference leads to images for several. Unset: Linux on the architecture that the service runs on',
        format: 'OS/ARCHITECTURE[/VARIANT]',
      })
      .optional(),
  })
  .prefault({});
