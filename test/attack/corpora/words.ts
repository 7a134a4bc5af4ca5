/** Splits a block of text at white space, for lists of values that contain none. */
export const words = (text: string): string[] => text.trim().split(/\s+/)
