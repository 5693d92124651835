import { z } from 'zod';

/** MAX_LIMIT is how many items one page may hold. */
const MAX_LIMIT = 10_000;

const whole = (name: string, min: number, max: number) =>
  z.coerce
    .number({ error: `${name} must be a whole number` })
    .int({ error: `${name} must be a whole number` })
    .min(min, { error: `${name} must be between ${min} and ${max}` })
    .max(max, { error: `${name} must be between ${min} and ${max}` });

/** pageSchema are the query parameters of a list: without `limit` it is given whole. Spread its `shape` beside others. */
export const pageSchema = z.strictObject({
  limit: whole('limit', 1, MAX_LIMIT).optional().describe('Items of the page; without it the whole list'),
  offset: whole('offset', 0, Number.MAX_SAFE_INTEGER).optional().describe('Items left out before the page'),
});

/** Page says which part of a list is wanted. */
export type Page = z.infer<typeof pageSchema>;

/** listOf is the schema of a list's answer: `{items, total}`, `total` counting what stands on other pages too. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), total: z.int().min(0) });
}
