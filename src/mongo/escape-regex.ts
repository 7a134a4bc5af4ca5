/** The source of a pattern that matches exactly `text`. */
export const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
