import { domainToUnicode } from 'node:url'

const punycode = /(^|\.)xn--/

/**
 * Parses a URL from outside, and returns null if it is invalid. On its own, `URL.parse` would accept hosts with invalid
 * punycode, such as `xn--a.com`: `domainToUnicode` decodes only valid labels, so these keep their prefix.
 */
export function readUrl(text: string): URL | null {
  const url = URL.parse(text)
  if (url === null || !punycode.test(url.hostname)) return url
  return punycode.test(domainToUnicode(url.hostname)) ? null : url
}
