import { join } from 'node:path';
import type { Terminal } from '../terminal/terminal.ts';

/** kubeconfigNamed gives the first file that KUBECONFIG names, or undefined. */
export function kubeconfigNamed({ env }: Pick<Terminal, 'env'>): string | undefined {
  return (env['KUBECONFIG'] ?? '').split(':').find((path) => path !== '');
}

/** findKubeconfig settles which kubeconfig is read: that of the flag, else of KUBECONFIG, else ~/.kube/config. */
export function findKubeconfig(flag: string | undefined, terminal: Pick<Terminal, 'env'>): string {
  return flag ?? kubeconfigNamed(terminal) ?? join(terminal.env['HOME'] ?? '.', '.kube/config');
}
