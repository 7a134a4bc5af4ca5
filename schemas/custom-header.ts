export const maxCustomHeaders = 10
export const maxHeaderName = 64
export const maxHeaderValue = 1024
/** All names and values together. */
export const maxHeaderCharacters = 4096

/** RFC 9110, 5.6.2 */
const token = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/** Visible ASCII, with spaces only inside. */
const value = /^[!-~](?:[ -~]*[!-~])?$/

export const isHeaderValue = (text: string): boolean => value.test(text)

const reservedNames =
  'host connection keep-alive transfer-encoding te trailer upgrade expect forwarded user-agent traceparent tracestate accept* content-* proxy-* x-forwarded-* webhook-*'

/** The service or a proxy sets these. `*` stands for any ending. */
export const reservedHeaders = (brand: string): string[] => [
  ...reservedNames.split(' '),
  ...['service', brand.toLowerCase()].map((each) => `x-${each}-*`),
]

export function headerNameFault(name: string, brand: string): string | null {
  if (!token.test(name)) return 'is not a valid header name'
  // To many servers, both are the same.
  const lower = name.toLowerCase().replaceAll('_', '-')
  const isReserved = reservedHeaders(brand).some((each) =>
    each.endsWith('*') ? lower.startsWith(each.slice(0, -1)) : lower === each,
  )
  return isReserved ? 'is reserved for the service' : null
}

export function areNamesDistinct(headers: unknown): boolean {
  const names = Object.keys(headers as object)
  return new Set(names.map((name) => name.toLowerCase())).size === names.length
}

export function areHeadersWithin(limit: number, headers: Record<string, unknown>): boolean {
  const texts = Object.entries(headers)
    .flat()
    .filter((text) => typeof text === 'string')
  return areNamesDistinct(headers) && texts.join('').length <= limit
}
