/** Returns the source of a regular expression that matches exactly this string. */
export const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
