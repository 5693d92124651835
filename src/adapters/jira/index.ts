/**
 * Jira in the cloud (by its site or the gateway) and Jira Data Center as a tracker of issues.
 * It uses `markup` and `transport`.
 */
export { jiraRoom } from './compose.ts';
export { openJiraTracker } from './tracker.ts';
