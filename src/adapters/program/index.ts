/**
 * Programs of others, run as children: bounded in time and in what they write, and ended with all that they started.
 * It uses no other adapter.
 */
export { childEnvironment } from './child-environment.ts';
export { dockerConfig, NO_CREDENTIALS, secretsOf } from './docker-config.ts';
export { ProgramError } from './program-error.ts';
export { runProgram, type Ended } from './run-program.ts';
export { openWorkDirectory, type WorkDirectory } from './work-directory.ts';
export { scannerFault, type ScannerRun } from './scanner-fault.ts';
export { crashReasonIn, registryReasonIn } from './scan-reason.ts';
export { withSystemAuthorities } from './authorities.ts';
export { asReferred, fromOf } from './pulled-from.ts';
