import { hook } from '../hook.ts';

export const webhook = hook('webhook');
