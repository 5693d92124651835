import * as z from 'zod/mini';

const about = (description: string) => z.meta({ description });

/** conditionSchema is a condition of an object's status, as the Kubernetes conventions have it. */
export const conditionSchema = z
  .object({
    type: z.string().check(z.maxLength(316), about('Subject of the condition.')),
    status: z.enum(['True', 'False', 'Unknown']).check(about('Whether it holds.')),
    observedGeneration: z.optional(
      z.int().check(z.minimum(0), about('Generation of the object that it was judged from.')),
    ),
    lastTransitionTime: z
      .string()
      .check(about('When `status` changed last.'), z.meta({ format: 'date-time' })),
    reason: z.string().check(z.maxLength(1024), about('Why, in one word for programs.')),
    message: z.string().check(z.maxLength(32_768), about('Why, in a sentence for people.')),
  })
  .check(about('A condition of the object.'));

/** Condition is one of them. */
export type Condition = z.infer<typeof conditionSchema>;

/** withCondition gives the conditions with this one set; the time of its last change stays while its status does. */
export function withCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const made = { ...condition, lastTransitionTime };
  return before === undefined
    ? [...conditions, made]
    : conditions.map((one) => (one === before ? made : one));
}
