import type { z } from 'zod';
import { fieldSentence, IpoError, nearest, type FieldFault } from '../base/index.ts';

/** Part is one of the parts of a request that a schema holds for. */
export type Part = 'params' | 'query' | 'body';

/** How many faults are worded: as many as an answer tells, since a body may have more than can be worded in a second. */
const MAX_FAULTS = 100;

/** validated gives a part of a request as its schema gives it out. Throws `invalid_request` with every fault by its path. */
export function validated(part: Part, schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) {
    if (part === 'params') return value;
    const names = value !== null && typeof value === 'object' ? Object.keys(value) : [];
    if (part === 'query' && names.length > 0) {
      throw toError(
        part,
        names
          .slice(0, MAX_FAULTS)
          .map((name) => ({ path: name, message: `unknown parameter ${JSON.stringify(name)}` })),
      );
    }
    if (part === 'body' && value !== undefined && names.length > 0)
      throw new IpoError('invalid_request', 'this call takes no body');
    return part === 'query' ? {} : undefined;
  }
  const parsed = schema.safeParse(value ?? (part === 'body' ? undefined : {}), { reportInput: true });
  if (parsed.success) return parsed.data;
  if (part === 'body' && value === undefined) {
    throw new IpoError('invalid_request', 'this call needs a body', { hint: 'Send a JSON object' });
  }
  throw toError(
    part,
    parsed.error.issues.slice(0, MAX_FAULTS).flatMap((issue) => faults(part, schema, issue)),
  );
}

function toError(part: Part, fields: readonly FieldFault[]): IpoError {
  const [first] = fields;
  const message = first === undefined ? `the ${part} of the request is not valid` : fieldSentence(first);
  return new IpoError('invalid_request', message, { fields });
}

function faults(part: Part, schema: z.ZodType, issue: z.core.$ZodIssue): FieldFault[] {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = 'shape' in schema && issue.path.length === 0 ? Object.keys(schema.shape as object) : [];
    return issue.keys.slice(0, MAX_FAULTS).map((key) => {
      const meant = nearest(key, known);
      const word = part === 'query' ? 'parameter' : 'field';
      const whole = path === '' ? key : `${path}.${key}`;
      return {
        path: whole,
        message: `unknown ${word} ${JSON.stringify(whole)}${meant === null ? '' : `; did you mean ${JSON.stringify(meant)}?`}`,
      };
    });
  }
  if (part === 'query' && issue.code === 'invalid_type' && issue.input instanceof Array) {
    return [{ path, message: 'is given more than once' }];
  }
  return [{ path, message: issue.message }];
}

/** `a.b[2]`, as the paths of a policy's problems are written. */
function pathOf(steps: readonly PropertyKey[]): string {
  return steps
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('');
}
