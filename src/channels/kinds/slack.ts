import { hook } from '../hook.ts';

export const slack = hook('slack', {
  name: 'Slack',
  address: 'Address of the incoming webhook, https://hooks.slack.com/services/… (not shown)',
});
