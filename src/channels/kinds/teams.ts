import { hook } from '../hook.ts';

export const teams = hook('teams');
