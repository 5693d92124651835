/**
 * The notifications of a service: what sends them, what is told of the service itself, and what people ask of them.
 * It uses `leadership` and `running`.
 */
export { openMessengers } from './messengers.ts';
