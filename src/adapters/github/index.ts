/**
 * GitHub and GitHub Enterprise as a tracker of issues.
 * It uses `markup` and `transport`.
 */
export { githubRoom } from './compose.ts';
export { openGithubTracker } from './tracker.ts';
