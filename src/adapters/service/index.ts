/**
 * A running service as its clients reach it: calls by the route's key, problems as faults with their codes.
 * It uses no other adapter.
 */
export { openServiceClient, type ServiceClient, type ServiceOptions } from './client.ts';
export { parseServer } from './address.ts';
