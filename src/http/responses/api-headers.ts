import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { Config } from '../../config.ts'
import { strictTransport } from '../pages/page-headers.ts'

export type HeaderList = readonly (readonly [name: string, value: string])[]

/**
 * Returns the headers for every API response. They prevent browsers from displaying, framing or caching the response,
 * and from guessing a different media type.
 */
export function createApiHeaders(config: Pick<Config, 'production' | 'publicUrl'>): HeaderList {
  const headers: [string, string][] = [['Cache-Control', 'no-store']]
  const collect = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  }
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: strictTransport(config),
    // The following headers are turned off, because they affect only HTML documents.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  set({} as IncomingMessage, collect as unknown as ServerResponse, () => undefined)
  return headers
}
