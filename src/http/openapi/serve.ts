import { type Request, type Response, Router } from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { setApiHeaders } from '../answer.ts'
import { letBrowsersRead } from '../cross-origin.ts'
import { describeApi } from './describe.ts'

/** `/openapi.json`: the description, made once. It needs no key, any page may load it, and it is no answer of an operation: no envelope. */
export function serveDescription({ config }: Pick<Deps, 'config'>): Router {
  const bytes = Buffer.from(JSON.stringify(describeApi(config)))
  const router = Router({ strict: true, caseSensitive: true })
  router.get('/openapi.json', (_req: Request, res: Response) => {
    res.locals.route = 'GET /openapi.json'
    setApiHeaders(res)
    letBrowsersRead(res)
    if (res.app.locals.isStopping()) res.setHeader('Connection', 'close')
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    // So long may somebody look at the one from before a release.
    res.setHeader('Cache-Control', 'public, max-age=300')
    res.setHeader('Content-Length', bytes.length)
    // To a HEAD Node sends no byte of it.
    res.end(bytes)
  })
  router.all('/openapi.json', () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}
