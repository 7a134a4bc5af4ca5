import type { Router } from 'express'
import type { Deps } from '../../deps.ts'
import { letBrowsersRead } from '../pages/cross-origin.ts'
import { setApiHeaders } from '../responses/envelope.ts'
import { readOnly } from '../server/bare-app.ts'
import { describeApi } from './describe.ts'

/**
 * Serves `/openapi.json`. The first request builds the document. Requests need no API key, pages on any site may load
 * the document, and the response has no envelope.
 */
export function serveDescription({ config }: Pick<Deps, 'config'>): Router {
  let built: Buffer | undefined
  return readOnly('/openapi.json', (_req, res) => {
    setApiHeaders(res)
    letBrowsersRead(res)
    if (res.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    // This header allows clients to use the previous document for up to 300 s after a release.
    res.setHeader('Cache-Control', 'public, max-age=300')
    built ??= Buffer.from(JSON.stringify(describeApi(config)))
    res.setHeader('Content-Length', built.length)
    // Node.js omits the body in the response to a HEAD request.
    res.end(built)
  })
}
