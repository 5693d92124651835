/**
 * Which calls leave through a proxy: its address, the targets that are called directly, and the same in the environment of other programs.
 * It uses no other adapter.
 */
export { readProxy, type Proxy } from './address.ts';
export { openProxyChoice, type ProxyChoice } from './choice.ts';
export { proxyEnvironment } from './environment.ts';
export { readException } from './exception.ts';
