/**
 * Trackers as the service opens them.
 * It uses `config`, `leadership` and `running`.
 */
export {};
