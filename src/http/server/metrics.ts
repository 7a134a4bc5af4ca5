import { createHash, timingSafeEqual } from 'node:crypto'
import { type Request, Router } from 'express'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { createScrape } from '../../metrics/scrape.ts'
import { shareRuns } from '../../process/share-runs.ts'
import { setApiHeaders } from '../responses/envelope.ts'

/**
 * Creates the router that serves `/metrics` to Prometheus (docs/operators/watch.md). If the configuration contains a
 * token, a request without that token gets a 401, and nothing is read from the databases.
 */
export function metrics(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const scrape = shareRuns(createScrape(deps))
  router.get('/metrics', async (req, res) => {
    res.locals.route = 'GET /metrics'
    requireToken(req, deps.config.metricsToken)
    const text = await scrape()
    setApiHeaders(res)
    res.type(deps.metrics.registry.contentType).send(text)
  })
  router.all('/metrics', () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}

function requireToken(req: Request, token: string | null): void {
  if (token === null) return
  const [header, ...more] = req.headersDistinct.authorization ?? []
  if (header === undefined) throw unauthorised('MISSING_CREDENTIALS', 'The Authorization header is missing.')
  const given = more.length === 0 ? /^bearer (\S+)$/i.exec(header)?.[1] : undefined
  if (given === undefined) throw unauthorised('INVALID_AUTH_HEADER', 'The Authorization header is malformed.')
  // Equal lengths are required for a comparison in constant time, and hashes always have the same length.
  if (!timingSafeEqual(hashOf(given), hashOf(token))) throw unauthorised('INVALID_API_KEY', 'This token is not valid.')
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

const unauthorised = (
  code: 'MISSING_CREDENTIALS' | 'INVALID_AUTH_HEADER' | 'INVALID_API_KEY',
  fault: string,
): Refusal =>
  refuse(code, {
    message: `${fault} Send the metrics token as "Authorization: Bearer <token>".`,
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
