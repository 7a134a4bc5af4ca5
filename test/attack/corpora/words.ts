/** For lists whose values contain no white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/)

/** For lists whose values contain single spaces, but none around a bar. */
export const phrases = (text: string): string[] => text.trim().split(/\s+\|\s+/)
