/**
 * What every other folder may use: digests and canonical JSON, durations and times, errors that carry a
 * place, the order of names, and the ports that stand for the outside (the clock, the log, counters).
 * It uses no other folder.
 */
export { canonicalJson, isDigest, sha256Hex, uuid5, type Digest } from './digest.ts';
export { detached } from './detached.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { eachOf } from './each-of.ts';
export {
  ERROR_CODES,
  IpoError,
  isIpoError,
  type ErrorCode,
  type ErrorPlace,
  type FieldFault,
  type IpoErrorOptions,
} from './errors.ts';
export { fieldSentence } from './field-sentence.ts';
export { endOfString, JsonKeyError, parseStrictJson } from './json.ts';
export { fileFaultOf } from './file-fault.ts';
export { inStep } from './in-step.ts';
export { isLoopback } from './loopback.ts';
export { nearest } from './nearest.ts';
export { byCodeUnit } from './order.ts';
export { Outage } from './outage.ts';
export type { Clock, Count, Keys, Log } from './ports.ts';
export { isPlainLine, oneLine } from './one-line.ts';
export { printable } from './printable.ts';
export { refreshCall } from './refresh-call.ts';
export { randomLetters } from './random-letters.ts';
export { Secret } from './secret.ts';
export { DAY_MS, formatMinute, formatTime, microTime, parseTime } from './time.ts';
export { isWaiting, latestWait } from './waiting.ts';
