/** SHELLS are those that a script can be printed for. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
