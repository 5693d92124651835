/**
 * Time stamps of an authority, by HTTP (RFC 3161).
 * It uses `transport`.
 */
export { openTimestamps } from './timestamps.ts';
