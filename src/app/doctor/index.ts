/**
 * What the doctor looks at, gathered: a running service by itself, a cluster by a kubeconfig, and the directory of a service that does not run.
 * It uses `cluster`, `config`, `notify`, `running`, `service` and `webhook`.
 */
