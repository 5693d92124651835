import { hook } from '../hook.ts';

export const slack = hook('slack');
