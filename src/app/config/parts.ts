import { z } from 'zod';
import { parseDuration, Secret } from '../../base/index.ts';
import { readKevSource } from '../../catalogues/index.ts';

/** path is a setting that names a file or a directory. */
export const path = (description: string) => z.string().min(1).max(4096).meta({ description });

/** duration is a Go duration between two bounds, with its default; milliseconds come out. */
export const duration = (min: string, max: string, standard: string, description: string) =>
  z
    .string()
    .refine((text) => between(parseDuration(text), min, max), {
      error: `must be a duration between ${min} and ${max}, such as ${standard}`,
    })
    .meta({ description, format: `duration, ${min} to ${max}` })
    .transform((text) => parseDuration(text) ?? 0)
    .prefault(standard);

function between(value: number | null, min: string, max: string): boolean {
  return value !== null && value >= (parseDuration(min) ?? 0) && value <= (parseDuration(max) ?? Infinity);
}

/** catalogueSource is where a catalogue comes from; in a cluster its mirror is mounted at `mount`. */
export const catalogueSource = (standard: string, mount: string, description: string) =>
  z
    .string()
    .max(2048)
    .superRefine((text, context) => {
      const place = readKevSource(text, mount);
      if ('fault' in place) context.addIssue({ code: 'custom', message: place.fault });
    })
    .default(standard)
    .meta({ description, format: 'https://…, file:///… or off' });

/** secret is a text that does not print; `env` names its variable where that is not made of its path. */
export const secret = (description: string, env?: string) =>
  z
    .string()
    .min(1)
    .max(4096)
    .meta({ description, secret: true, env })
    .transform((text) => new Secret(text));

/** whole is a whole number between two bounds. */
export const whole = (min: number, max: number, description: string) =>
  z
    .int({ error: `must be a whole number between ${min} and ${max}` })
    .min(min, { error: `must be between ${min} and ${max}` })
    .max(max, { error: `must be between ${min} and ${max}` })
    .meta({ description });
