import type { Config } from '../../config.ts'
import { strictTransport } from '../pages/page-headers.ts'

export type HeaderList = readonly (readonly [name: string, value: string])[]

/**
 * Returns the headers for every API response. They prevent browsers from displaying, framing or caching the response,
 * and from guessing a different media type.
 */
export function createApiHeaders(config: Pick<Config, 'production' | 'publicUrl'>): HeaderList {
  const strict = strictTransport(config)
  return [
    ['Cache-Control', 'no-store'],
    ['Content-Security-Policy', "default-src 'none';base-uri 'none';frame-ancestors 'none'"],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Referrer-Policy', 'no-referrer'],
    ...(strict ? [['Strict-Transport-Security', `max-age=${strict.maxAge}`] as const] : []),
    ['X-Content-Type-Options', 'nosniff'],
  ]
}
