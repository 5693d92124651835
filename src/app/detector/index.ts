/**
 * The listener of the runtime detector, as a process of its own, and its certificates.
 * It uses `cluster`, `config`, `processes`, `programs` and `running`.
 */
