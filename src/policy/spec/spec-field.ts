import type * as z from 'zod/mini';
import type { Field } from '../field.ts';
import type { Judge } from './strictness.ts';

/** StarterChoices are what a started policy can be told; the names are written as they stand, so check them first. */
export interface StarterChoices {
  readonly name: string;
  readonly enforce: boolean;
  /** Empty is the whole cluster. */
  readonly namespaces: readonly string[];
  /** Empty is any. */
  readonly registries: readonly string[];
}

/** SpecField is everything that the product knows of one field of `spec`; each list of fields is made from these. */
export interface SpecField<S extends z.core.SomeType = z.core.SomeType, T = z.core.output<S>> {
  readonly schema: Field<S>;
  /** Its lines in a started policy, with a comment; a first empty line begins a group. */
  starter(choices: StarterChoices): string;
  /** What a change of the value does to what is admitted, by the path below the field; '' is the field itself. */
  readonly directions: Readonly<Record<string, Judge<T>>>;
  /** Whether its gate can deny an image, or the pod, under this value. */
  denies?(value: T): boolean;
  /** The value one step stricter, for a pod that escalates; null where there is no step. Only fields that judge a scan have one. */
  stricter?(value: T): T | null;
}

/** specField checks the parts of a field against its schema. */
export const specField = <S extends z.core.SomeType>(part: SpecField<S>): SpecField<S> => part;
