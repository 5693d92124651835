import type * as z from 'zod/mini';
import { ReportError } from './report-error.ts';

/** read checks a part of a report against its schema; `at` is where the part stands. Throws ReportError with the path. */
export function read<T extends z.ZodMiniType>(
  schema: T,
  value: unknown,
  at: readonly (string | number)[],
  file: string,
): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = [...at, ...(result.error.issues[0]?.path ?? [])].map(String).join('.');
  throw new ReportError(
    file,
    path === '' ? 'the report is not as Trivy writes it' : `${path} is not as Trivy writes it`,
    'Check that the file was not changed by hand',
  );
}
