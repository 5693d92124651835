/**
 * Channels of every kind, with their sealed credentials.
 * It uses `sql` and `tables`.
 */
export { adoptionStore } from './adopt.ts';
export { channelStore } from './channels.ts';
