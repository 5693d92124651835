/**
 * Which service a command calls and as whom: its flags, the file that `ipo login` keeps, the client.
 * It uses `terminal`.
 */
export { withServiceFlags, type ServiceFlags } from './flags.ts';
