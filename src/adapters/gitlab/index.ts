/**
 * GitLab, hosted or one's own, as a tracker of issues.
 * It uses `markup` and `transport`.
 */
export { gitlabRoom } from './compose.ts';
export { openGitlabTracker } from './tracker.ts';
