/**
 * Trackers as the service opens them.
 * It uses `config`, `leadership`, `notify` and `running`.
 */
export {};
