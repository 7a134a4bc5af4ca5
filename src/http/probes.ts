import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import express, { type NextFunction, type Request, type Response } from 'express'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { send } from './answer.ts'
import { createApiHeaders } from './api-headers.ts'
import { patience } from './connections/patience.ts'
import { health } from './health.ts'
import { createHttpServer, type HttpServer } from './listen.ts'
import { logRequest } from './log-request.ts'
import { createErrorReporter } from './report-error.ts'

/** Serves health and metrics, and nothing else, on a port of their own: for a process that has none. */
export async function serveProbes(deps: Deps, port: number, isStopping: () => boolean): Promise<HttpServer> {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.locals.isStopping = isStopping
  app.locals.apiHeaders = createApiHeaders(deps.config)
  app.use((req: Request, res: Response, next: NextFunction) => {
    res.locals.requestId = randomUUID()
    res.setHeader('X-Request-Id', res.locals.requestId)
    logRequest(deps, req, res)
    next()
  })
  app.use(health(deps, isStopping))
  app.use(() => {
    throw refuse('ENDPOINT_NOT_FOUND')
  })
  const answerFor = createErrorReporter(deps)
  // Express tells an error handler by its four parameters.
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) =>
    send(res, answerFor(error, res)),
  )
  const server = createHttpServer(deps, app, patience)
  server.listen(port)
  await once(server, 'listening')
  return server
}
