/**
 * Costly calls of the API, made in threads.
 * It uses `programs`, `running`, `scanning` and `trackers`.
 */
