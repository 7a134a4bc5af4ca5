/**
 * Parses a URL, relative to `base` if given. Returns null if it is not valid. Avoids `URL.canParse`: once V8 has
 * optimised it, Node 20 and 22 misread texts that contain ü or è, and return the wrong result.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
