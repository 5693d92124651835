import { z } from 'zod';
import { parseTime } from '../../base/index.ts';

/** moment reads an RFC 3339 time and gives milliseconds. */
export const moment = z.string().transform((text, context) => {
  const ms = parseTime(text);
  if (!Number.isNaN(ms)) return ms;
  context.addIssue({ code: 'custom', message: 'is not an RFC 3339 time, such as 2026-11-20T06:00:00Z' });
  return z.NEVER;
});
