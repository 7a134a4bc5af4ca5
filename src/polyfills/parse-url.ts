/**
 * Parses a URL, which may be relative to `base`. Returns null if the URL is not valid. This function does not use
 * `URL.canParse`, because once V8 has optimised that method in Node 20 and 22, it misreads strings that contain ü or è
 * and returns the wrong result.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
