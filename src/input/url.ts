import { domainToUnicode } from 'node:url'

/**
 * Parses a URL from outside, and returns null if it is invalid. On its own, `URL.parse` would accept hosts with invalid
 * punycode, such as `xn--a.com`: `domainToUnicode` decodes only valid labels, so these keep their prefix.
 */
export function readUrl(text: string): URL | null {
  const url = URL.parse(text)
  return url !== null && /(^|\.)xn--/.test(domainToUnicode(url.hostname)) ? null : url
}
