/**
 * How a message goes to each kind of channel that only tells: a mail server, a chat, a webhook.
 * It uses `markup` and `transport`.
 */
export { openMail, type MailOptions } from './mail.ts';
export { signingKeyOf, type SigningKey } from './signing-key.ts';
export { openSlack } from './slack.ts';
export { openTeams } from './teams.ts';
export { openWebhook, toCloudEvent } from './webhook.ts';
