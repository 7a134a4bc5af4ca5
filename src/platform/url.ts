import { domainToUnicode } from 'node:url'

const punycode = /(^|\.)xn--/

/**
 * Null if invalid. `URL.parse` alone accepts hosts with invalid punycode, e.g. `xn--a.com`; `domainToUnicode` decodes
 * only valid labels, so bad ones keep their prefix.
 */
export function readUrl(text: string): URL | null {
  const url = URL.parse(text)
  if (url === null || !punycode.test(url.hostname)) return url
  return punycode.test(domainToUnicode(url.hostname)) ? null : url
}
