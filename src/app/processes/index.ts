/**
 * How the processes of `ipod` are started, watched and joined.
 * It uses `config` and `programs`.
 */
export {};
