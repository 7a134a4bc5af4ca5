import { domainToUnicode } from 'node:url'

const punycode = /(^|\.)xn--/

/** Also rejects invalid punycode such as `xn--a.com`. */
export function parseUrl(text: string): URL | null {
  const url = URL.parse(text)
  return url !== null && punycode.test(domainToUnicode(url.hostname)) ? null : url
}
