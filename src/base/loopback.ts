/** isLoopback tells whether a host name or address is this machine itself, as an address has it (`[::1]`) or bare (`::1`). */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);
}
