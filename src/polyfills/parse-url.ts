/**
 * The URL that `text` stands for, seen from `base` where one is given; null where it is none. `URL.canParse` is not to be had: once V8
 * has optimised it, Node 20 and 22 read a text with ü or è in it wrongly, so that it is refused, or let through and thrown upon.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
