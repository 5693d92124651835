/** What a process or thread of ours may need: to find Node's and PostgreSQL's own files, and what was compiled before. */
const PASSED_ON =
  /^(PATH|HOME|TZ|LANG|LC_[A-Z]+|TMPDIR|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|SSL_CERT_(FILE|DIR)|PG[A-Z]+|SYSTEMROOT)$/;

/** passedOn gives the variables of the environment that a process or thread of ours is given. No other secret of ours goes along. */
export function passedOn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name)));
}
