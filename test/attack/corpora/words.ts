/** Splits text at white space. For lists of values that contain none. */
export const words = (text: string): string[] => text.trim().split(/\s+/)
