import * as z from 'zod/mini';

/** No list or mapping that Kubernetes takes comes near; a hostile one would fill the memory with its faults. */
const MOST = 10_000;

/** text is an optional text; null is unset, as it is for the API server. */
export const text = z.nullish(z.string());

/** list is an optional list of bounded length; the length is looked at before its entries are. */
export function list<T extends z.ZodMiniType>(entry: T) {
  return z.nullish(z.pipe(z.array(z.unknown()).check(z.maxLength(MOST)), z.array(entry)));
}

/** texts is an optional mapping of texts of bounded size. */
export function texts() {
  const few = z.check<Record<string, unknown>>((input) => {
    if (Object.keys(input.value).length > MOST) {
      input.issues.push({ code: 'too_big', origin: 'record', maximum: MOST, input: input.value });
    }
  });
  return z.nullish(z.pipe(z.record(z.string(), z.unknown()).check(few), z.record(z.string(), text)));
}
