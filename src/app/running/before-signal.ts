const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * beforeSignal does an act before a signal ends this process, which then ends as it would have. Programs in a group of their own do not
 * hear Ctrl-C. Gives what takes it back.
 */
export function beforeSignal(act: () => void): () => void {
  const heard = (signal: NodeJS.Signals): void => {
    undo();
    act();
    process.kill(process.pid, signal);
  };
  const undo = (): void => {
    for (const signal of SIGNALS) process.off(signal, heard);
  };
  for (const signal of SIGNALS) process.on(signal, heard);
  return undo;
}
