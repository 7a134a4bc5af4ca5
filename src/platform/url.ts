import { domainToUnicode } from 'node:url'

const punycode = /(^|\.)xn--/

/**
 * Returns null if the URL is invalid. `URL.parse` alone would accept hosts with invalid punycode, such as `xn--a.com`.
 * `domainToUnicode` decodes only valid labels, so the others keep their prefix.
 */
export function readUrl(text: string): URL | null {
  const url = URL.parse(text)
  if (url === null || !punycode.test(url.hostname)) return url
  return punycode.test(domainToUnicode(url.hostname)) ? null : url
}
