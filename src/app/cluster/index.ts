/**
 * The service inside of its cluster: informers, the leader's jobs there, the webhook's certificate and path.
 * It uses `config`, `leadership`, `running` and `scanning`.
 */
export {};
