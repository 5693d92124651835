/**
 * Scanners and registries as the service uses them, imports of reports, why an image cannot be scanned.
 * It uses `config` and `running`.
 */
export {};
