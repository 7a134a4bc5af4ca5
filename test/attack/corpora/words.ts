/** For lists whose values contain no white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/)
