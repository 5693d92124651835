import { hook } from '../hook.ts';

export const teams = hook('teams', {
  name: 'Microsoft Teams',
  address: "Address of the workflow 'Send webhook alerts to a channel' (not shown)",
});
