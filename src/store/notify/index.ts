/**
 * What the channels are to be told, the messages that were made of it, and mutes.
 * It uses `outbox`, `sql` and `tracking`.
 */
export { deliveryList } from './delivery-list.ts';
export { deliveryStore } from './deliveries.ts';
export { muteStore } from './mutes.ts';
