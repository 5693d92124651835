import { createRequire } from 'node:module';

const { resolve } = createRequire(`${import.meta.dirname}/`);
const fileOf = (path: string): string => resolve(`@expo-google-fonts/${path}`);

/**
 * FONTS are the fonts that every PDF brings with it, since not every reader has the same: the files here; in the built programs,
 * which have no such files beside them, their bytes (`scripts/build/libraries.ts`).
 */
export const FONTS: Readonly<Record<'plain' | 'bold' | 'code', string | Uint8Array>> = {
  plain: fileOf('ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf'),
  bold: fileOf('ibm-plex-sans/600SemiBold/IBMPlexSans_600SemiBold.ttf'),
  code: fileOf('roboto-mono/400Regular/RobotoMono_400Regular.ttf'),
};
