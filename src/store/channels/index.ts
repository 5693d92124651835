/**
 * Channels of every kind, with their sealed credentials.
 * It uses `outbox`, `sql` and `tables`.
 */
export { adoptionStore } from './adopt.ts';
export { channelStore } from './channels.ts';
