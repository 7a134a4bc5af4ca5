/**
 * Parses a URL, relative to `base` if it is given. Returns null if the URL is not valid. Does not use `URL.canParse`,
 * because once V8 has optimised it, Node 20 and 22 misread strings that contain ü or è and return the wrong result.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
